"""``/ladder``: the ladder of a game on a server, with buttons for its players."""

from __future__ import annotations

from dataclasses import dataclass

import discord
from discord import app_commands

from bot.discord.interaction.access import Access
from bot.discord.interaction.errors import RefusalError, sentence
from bot.discord.interaction.feature import Feature, handles
from bot.discord.interaction.interactions import Interaction, player_of, roles_of
from bot.discord.interaction.options.ruleset import ExplainedGame
from bot.discord.interaction.permissions import check_permissions
from bot.discord.posting.card_presenters import ChallengePresenter, LadderPresenter
from bot.discord.posting.cards.ladder import (
    JoinLadder,
    LadderPress,
    OpenLadder,
    heading,
    join_button,
    moved_card,
    rung_list,
)
from bot.discord.posting.messenger import log_not_shown
from bot.discord.transport.answers import Answer
from bot.discord.transport.sender import Sender
from bot.discord.ui import markdown
from bot.discord.ui.markdown import CommandMentions
from bot.discord.ui.messages import ActionButton, Message, compose, confirmation, option_menu
from bot.discord.ui.presses import GameType, Id, Press, user_input
from bot.domain.competitions.ladders import Ladder, UnknownLadderError
from bot.domain.timers import TimerKind
from bot.runtime.timers import on_timer
from bot.services.challenges import Challenges
from bot.services.deliveries import Deliveries
from bot.services.ladders import LadderOptions, Ladders
from bot.texts import gettext as _, gettext_noop
from bot.wording import words
from rules import Position


class JoinNewLadder(Press, action="ladder-new"):
    """Open a game's ladder in this channel, and join it."""

    game: GameType


class ChallengeOnLadder(LadderPress, action="ladder-challenge"):
    opponent_id: Id = user_input()


class PauseOnLadder(LadderPress, action="ladder-pause"):
    pass


class ReturnToLadder(LadderPress, action="ladder-return"):
    pass


class AskToLeaveLadder(LadderPress, action="ladder-ask-leave"):
    pass


class LeaveLadder(LadderPress, action="ladder-leave"):
    pass


class MoveLadder(LadderPress, action="ladder-move"):
    """Move a ladder to this channel."""


@dataclass
class LadderCommand(Feature):
    ladders: Ladders
    challenges: Challenges
    deliveries: Deliveries
    access: Access
    sender: Sender
    ladder_presenter: LadderPresenter
    challenge_presenter: ChallengePresenter
    command_mentions: CommandMentions

    @on_timer(TimerKind.LADDER, TimerKind.LADDER_OUT)
    async def advance(self, ladder_id: int) -> None:
        """Remove players who are out, and show the changes."""
        await self.ladders.advance(ladder_id)
        with log_not_shown("ladder_not_shown", retry=True, ladder=ladder_id):
            await self.ladder_presenter.show(ladder_id)

    @app_commands.command(description=gettext_noop("The ladder of a game: join it, or challenge a player above you"))
    @app_commands.describe(game=gettext_noop("The game of the ladder"))
    @app_commands.allowed_installs(guilds=True, users=False)
    @app_commands.allowed_contexts(guilds=True, dms=False, private_channels=False)
    async def ladder(self, interaction: Interaction, game: ExplainedGame) -> None:
        found = await self.ladders.find(self.access.viewer_of(interaction), game)
        card = no_ladder_card(game) if found is None else await self._card(interaction, found)
        await Answer.of(interaction).respond(card)

    @handles(OpenLadder)
    async def open(self, interaction: Interaction, press: OpenLadder) -> None:
        await Answer.of(interaction).respond(await self._card(interaction, await self._find(interaction, press)))

    @handles(JoinNewLadder)
    async def begin(self, interaction: Interaction, press: JoinNewLadder) -> None:
        found = await self.ladders.find(self.access.viewer_of(interaction), press.game)
        if found is None:
            check_permissions(interaction)
        place, player = await self.access.place_of(interaction), player_of(interaction.user)
        opened = await self.ladders.open(place, press.game, player, role_ids=roles_of(interaction))
        await self._show(interaction, opened)

    @handles(JoinLadder)
    async def join(self, interaction: Interaction, press: JoinLadder) -> None:
        await self._find(interaction, press)
        await self._show(interaction, await self.ladders.join(press.ladder_id, player_of(interaction.user)))

    @handles(ChallengeOnLadder)
    async def challenge(self, interaction: Interaction, press: ChallengeOnLadder) -> None:
        ladder = await self._find(interaction, press)
        rung = ladder.rung(press.opponent_id)
        _check_channel(interaction, ladder)
        made = await self.challenges.challenge_on_ladder(
            press.ladder_id, player_of(interaction.user), press.opponent_id, role_ids=roles_of(interaction)
        )
        text = _("✅ The challenge is in {channel}.").format(channel=markdown.channel(ladder.place.channel_id))
        if made is None:
            assert rung is not None
            text = _("{player} does not play with you, which counts as declining: you take place {number}.")
            text = text.format(player=words.name(rung.player), number=rung.number)
        await Answer.of(interaction).respond(text)
        if made is not None:
            await self.challenge_presenter.show(made.id)
        await self.ladder_presenter.show(press.ladder_id)

    @handles(PauseOnLadder)
    async def pause(self, interaction: Interaction, press: PauseOnLadder) -> None:
        await self._find(interaction, press)
        await self._show(interaction, await self.ladders.pause(press.ladder_id, interaction.user.id))

    @handles(ReturnToLadder)
    async def come_back(self, interaction: Interaction, press: ReturnToLadder) -> None:
        await self._find(interaction, press)
        await self._show(interaction, await self.ladders.come_back(press.ladder_id, interaction.user.id))

    @handles(AskToLeaveLadder)
    async def ask_to_leave(self, interaction: Interaction, press: AskToLeaveLadder) -> None:
        ladder = await self._find(interaction, press)
        ladder.check_leave(interaction.user.id)
        await Answer.of(interaction).respond(leave_question(ladder))

    @handles(LeaveLadder)
    async def leave(self, interaction: Interaction, press: LeaveLadder) -> None:
        await self._find(interaction, press)
        await self._show(interaction, await self.ladders.leave(press.ladder_id, interaction.user.id))

    @handles(MoveLadder)
    async def move(self, interaction: Interaction, press: MoveLadder) -> None:
        ladder = await self.ladders.get(press.ladder_id)
        if not await self._may_move(interaction, ladder):
            raise RefusalError(_("Only moderators can move a ladder to another channel."))
        check_permissions(interaction)
        before = (await self.deliveries.ladder(ladder.id)).message
        moved = await self.ladders.move(ladder.id, await self.access.place_of(interaction))
        await self._show(interaction, moved)
        if before is not None:
            with log_not_shown("ladder_not_shown", ladder=ladder.id):
                await self.sender.edit(before, moved_card(moved))

    # Helpers

    async def _find(self, interaction: Interaction, press: LadderPress) -> Ladder:
        """The ladder of a press, if the user can see its channel."""
        ladder = await self.ladders.get(press.ladder_id)
        if not await self.access.viewer_of(interaction).sees(ladder.place):
            raise UnknownLadderError
        return ladder

    async def _show(self, interaction: Interaction, ladder: Ladder) -> None:
        """Show a ladder to the user and to everybody after the user has changed it."""
        await Answer.of(interaction).respond(await self._card(interaction, ladder))
        await self.ladder_presenter.show(ladder.id)

    async def _card(self, interaction: Interaction, ladder: Ladder) -> Message:
        options = await self.ladders.options(ladder, interaction.user.id)
        elsewhere = ladder.place.channel_id != interaction.channel_id
        movable = elsewhere and await self._may_move(interaction, ladder)
        return options_card(options, self.command_mentions, movable=movable)

    async def _may_move(self, interaction: Interaction, ladder: Ladder) -> bool:
        """Whether the user moderates the ladder's channel, which may be gone, or manages the server."""
        if ladder.place.guild_id != interaction.guild_id:
            return False
        return interaction.permissions.manage_guild or await self.access.may_moderate(interaction, ladder.place)


def _check_channel(interaction: Interaction, ladder: Ladder) -> None:
    """Refuse a challenge that the opponent could not see, and so would lose without knowing."""
    guild = interaction.guild
    channel = None if guild is None else guild.get_channel_or_thread(ladder.place.channel_id)
    if guild is None or channel is None:
        return  # an archived thread, which the challenge will open
    may = channel.permissions_for(guild.me)
    may_send = may.send_messages_in_threads if isinstance(channel, discord.Thread) else may.send_messages
    if not (may.view_channel and may_send):
        raise RefusalError(_("I cannot post in the channel of the ladder at the moment. Ask a moderator to move it."))


def no_ladder_card(game: type[Position]) -> Message:
    """Offer to open the ladder of a game."""
    text = _("Nobody is on the {ladder} yet. Join, and it opens in this channel.")
    join = ActionButton(JoinNewLadder(game), _("Join"), discord.ButtonStyle.success)
    return compose(text.format(ladder=words.ladder(game)), buttons=(join,))


def options_card(options: LadderOptions, command_mentions: CommandMentions, *, movable: bool = False) -> Message:
    """A ladder as a player sees it, with their options; the player can move a ``movable`` ladder to this channel."""
    ladder, own = options.ladder, options.own
    move = [ActionButton(MoveLadder(ladder.id), _("Move the ladder here"))] if movable else []
    where = _("The ladder is in {channel}.").format(channel=markdown.channel(ladder.place.channel_id))
    if own is None:
        text = _("You are not on this ladder. New players begin at the foot.")
        return compose(heading(ladder), text, rung_list(ladder), footer=where, buttons=(join_button(ladder), *move))
    leave = ActionButton(AskToLeaveLadder(ladder.id), _("Leave"))
    rank = _("You have place **{number}** of {count}.").format(number=own.number, count=len(ladder.rungs))
    if own.paused_until is not None:
        until = discord.utils.format_dt(own.paused_until, "R")
        note = _("You are pausing. Come back, or you drop off the ladder {until}.").format(until=until)
        buttons = ActionButton(ReturnToLadder(ladder.id), _("Come back"), discord.ButtonStyle.success), leave
        return compose(heading(ladder), rank, rung_list(ladder, own), note, footer=where, buttons=(*buttons, *move))
    if options.refusal is not None:
        note = sentence(options.refusal, command_mentions) or ""
    elif own.number == 1:
        note = _("You are at the top, so wait for a challenge.")
    elif not options.rungs:
        note = _("Everyone above you is pausing.")
    else:
        note = ""
    names = {str(rung.player.id): f"{rung.number}. {words.plain_name(rung.player)}" for rung in options.rungs}
    menu = option_menu(ChallengeOnLadder(ladder.id), names, _("Challenge a player above you"))
    pause = ActionButton(PauseOnLadder(ladder.id), _("Pause"), emoji="⏸️")
    return compose(
        heading(ladder),
        rank,
        rung_list(ladder, own),
        note,
        footer=where,
        menus=(menu,) if names else (),
        buttons=(pause, leave, *move),
    )


def leave_question(ladder: Ladder) -> Message:
    text = _(
        "Leave the **{ladder}**? You lose your place, and the players below you move up. You can join again at the "
        "foot."
    )
    return confirmation(
        text.format(ladder=words.ladder(ladder.game)),
        LeaveLadder(ladder.id),
        _("Yes, leave"),
        OpenLadder(ladder.id),
        _("Stay"),
    )
