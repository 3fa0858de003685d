"""``/challenge`` and the buttons of challenges."""

from __future__ import annotations

import discord
from discord import app_commands

import rules
from bot.discord import replies
from bot.discord.access import Access
from bot.discord.cards import words
from bot.discord.cards.challenge import challenge_buttons, open_challenges_card
from bot.discord.commands.against_computer import AgainstComputer
from bot.discord.commands.clock import clocks
from bot.discord.delivery import is_absent
from bot.discord.errors import RefusalError, sentence
from bot.discord.feature import Feature, handles
from bot.discord.game_option import choose_game
from bot.discord.interactions import (
    Choices,
    Interaction,
    Typed,
    alone,
    choice,
    is_computer,
    may_grant,
    place_of,
    player_of,
    roles_of,
    suggestions,
)
from bot.discord.messages import Press, compose
from bot.discord.presenter import Presenter
from bot.domain.challenges import (
    Challenge,
    ChallengeClosedError,
    DuplicateChallengeError,
    First,
    SelfChallengeError,
    UnknownChallengeError,
)
from bot.domain.clocks import TimeControl, read_time_control
from bot.domain.deliveries import PostedMessage
from bot.domain.matches import Match
from bot.services.challenges import Challenges
from bot.services.deliveries import Deliveries
from bot.texts import gettext as _
from bot.texts import gettext_noop
from rules.search import LEVELS

#: The permissions that a card needs, under their names on Discord.
_NEEDED = {
    "view_channel": gettext_noop("View Channel"),
    "send_messages": gettext_noop("Send Messages"),
    "attach_files": gettext_noop("Attach Files"),
}
_NEEDED_IN_THREADS = {
    "view_channel": gettext_noop("View Channel"),
    "send_messages_in_threads": gettext_noop("Send Messages in Threads"),
    "attach_files": gettext_noop("Attach Files"),
}


@suggestions
async def sizes(interaction: Interaction, current: str) -> Choices:
    game = rules.GAMES.get(interaction.namespace.game or "")
    if game is None:
        return []
    return [
        choice(_("{size} (usual)").format(size=size) if size == game.default_size else str(size), size)
        for size in game.sizes
        if str(size).startswith(str(current))
    ]


@suggestions
async def variants(interaction: Interaction, current: str) -> Choices:
    game = rules.GAMES.get(interaction.namespace.game or "")
    if game is None:
        return []
    described = {variant: words.variant(game, variant) for variant in game.variants}
    return [choice(label, variant) for variant, label in described.items() if current.casefold() in label.casefold()]


class ChallengeSender(Feature):
    """A feature that sends challenges."""

    def __init__(
        self,
        challenges: Challenges,
        deliveries: Deliveries,
        presenter: Presenter,
        access: Access,
        against_computer: AgainstComputer,
    ) -> None:
        self._against_computer = against_computer
        self._challenges = challenges
        self._deliveries = deliveries
        self._presenter = presenter
        self._access = access

    async def send(
        self,
        interaction: Interaction,
        opponent: discord.Member | discord.User | None,
        ruleset: rules.Ruleset,
        first: First,
        *,
        rated: bool = True,
        control: TimeControl | None = None,
    ) -> bool:
        """Post a challenge to the opponent, or to anyone; False if there is an open one already."""
        await check_challenge(interaction, opponent)
        try:
            sent = await self._challenges.challenge(
                place_of(interaction),
                player_of(interaction.user),
                player_of(opponent) if opponent else None,
                ruleset,
                first,
                rated=rated,
                control=control,
                parent_id=await self._access.thread_parent(interaction),
                role_ids=roles_of(interaction),
            )
        except DuplicateChallengeError as error:
            await self._point_to_open_challenge(interaction, error)
            return False
        await self._presenter.show_challenge(sent.id)
        return True

    async def _point_to_open_challenge(self, interaction: Interaction, error: DuplicateChallengeError) -> None:
        """Say where the open challenge is, and let the challenger withdraw it even if its message is gone."""
        standing = error.challenge
        link = words.card_link(standing.place.guild_id, (await self._deliveries.challenge(standing.id)).message)
        text = sentence(error) or ""
        mine = standing.challenger.id == interaction.user.id
        buttons = tuple(
            button
            for button in challenge_buttons(standing)
            if button.press is not None and (button.press.action == "withdraw") is mine
        )
        if link:
            jump = _("[Jump to it]({link})").format(link=link)
            text = f"{text} {jump}"
        await replies.tell(interaction, compose(text, buttons=buttons))


class ChallengeCommands(ChallengeSender):
    """``/challenge``, and the answers to challenges."""

    @app_commands.command(description=gettext_noop("Challenge somebody to a match, or anyone in this channel"))
    @app_commands.describe(
        game=gettext_noop("The game to play"),
        opponent=gettext_noop("A friend, or me; without one, anyone may accept"),
        level=gettext_noop("Play me at this level, from 1 to 5"),
        size=gettext_noop("Cells on each side of the board"),
        variant=gettext_noop("A variant of the rules"),
        first=gettext_noop("Who opens; the other one picks a side"),
        clock=gettext_noop("How much time you have, such as 3 days + 1 day; usually none"),
        rated=gettext_noop("Whether it counts for ratings and leaderboards (usually yes)"),
    )
    @choose_game(explain=True)
    @app_commands.choices(
        first=[
            app_commands.Choice(name=gettext_noop("me"), value=First.CHALLENGER.value),
            app_commands.Choice(name=gettext_noop("opponent"), value=First.OPPONENT.value),
            app_commands.Choice(name=gettext_noop("random"), value=First.RANDOM.value),
        ],
    )
    @app_commands.autocomplete(size=sizes, variant=variants, clock=clocks)
    async def challenge(
        self,
        interaction: Interaction,
        game: str,
        opponent: discord.Member | discord.User | None = None,
        level: app_commands.Range[int, LEVELS[0], LEVELS[-1]] | None = None,
        size: int | None = None,
        variant: Typed | None = None,
        first: str = First.RANDOM.value,
        clock: Typed = "",
        rated: bool | None = None,
    ) -> None:
        ruleset = rules.ruleset(game, size, variant)
        control = read_time_control(clock)
        if level is not None or is_computer(interaction, opponent) or (opponent is None and alone(interaction)):
            if opponent is not None and not is_computer(interaction, opponent):
                raise RefusalError(_("A level is for matches against me. Leave out either the opponent or the level."))
            if rated or control is not None:
                text = _("Matches against me are casual and have no clock: leave `rated` and `clock` out.")
                raise RefusalError(text)
            await self._play_computer(interaction, level, ruleset, First(first))
            return
        if await self.send(interaction, opponent, ruleset, First(first), rated=rated is not False, control=control):
            await replies.finish(interaction)

    async def _play_computer(
        self, interaction: Interaction, level: int | None, ruleset: rules.Ruleset, first: First
    ) -> None:
        """Start a game against a level, or against the one that fits."""
        check_permissions(interaction)
        if level is not None:
            await self._against_computer.start(interaction, level, ruleset, first)
        else:
            await self._against_computer.start_suggested(interaction, ruleset, first)

    @app_commands.command(description=gettext_noop("Open challenges on this server that you can accept"))
    async def challenges(self, interaction: Interaction) -> None:
        await self._show_list(interaction, 1)

    @handles("challenges")
    async def turn_page(self, interaction: Interaction, press: Press) -> None:
        await self._show_list(interaction, press.step)

    @handles("take")
    async def accept_listed(self, interaction: Interaction, press: Press) -> None:
        """Accept a challenge of the list, if the user can still see it."""
        try:
            challenge = await self._seen(interaction, press.subject)
            match = await self._challenges.accept(challenge.id, player_of(interaction.user))
        except (ChallengeClosedError, UnknownChallengeError) as error:
            await self._show_list(interaction, press.step, sentence(error) or "")
            return
        await self._show_list(interaction, press.step, await self._show_accepted(interaction, match))

    @handles("accept-directly")
    async def accept_in_digest(self, interaction: Interaction, press: Press) -> None:
        """Accept a challenge to the user that their digest shows, and say where the match is played."""
        challenge = await self._challenges.get(press.subject)
        if challenge.opponent is None or challenge.opponent.id != interaction.user.id:
            raise UnknownChallengeError
        if not await self._access.views_from_elsewhere(interaction, challenge.place):
            raise UnknownChallengeError
        match = await self._challenges.accept(challenge.id, player_of(interaction.user))
        await replies.tell(interaction, await self._show_accepted(interaction, match))

    async def _show_accepted(self, interaction: Interaction, match: Match) -> str:
        """Show the match of a challenge that was accepted away from its card, and return where that is."""
        await self._presenter.show_accepted(match)
        assert match.challenge_id is not None
        await self._presenter.show_challenge(match.challenge_id)
        delivery = await self._deliveries.get(match.id)
        assert delivery is not None, "it was challenged in a channel"
        return words.whereabouts(match, delivery, place_of(interaction).channel_id)

    async def _seen(self, interaction: Interaction, challenge_id: int) -> Challenge:
        """A challenge in a channel that the user can view."""
        challenge = await self._challenges.get(challenge_id)
        if not await self._access.viewer_of(interaction).sees(challenge.place):
            raise UnknownChallengeError
        return challenge

    async def _show_list(self, interaction: Interaction, page: int, note: str = "") -> None:
        viewer = await self._access.viewer_of_lists(interaction)
        found = await self._challenges.open_to(viewer)
        await replies.show(interaction, open_challenges_card(found, page, note))

    @handles("accept", "decline", "withdraw")
    async def answer(self, interaction: Interaction, press: Press) -> None:
        """Answer or withdraw the challenge on a card."""
        user = interaction.user
        try:
            match press.action:
                case "accept":
                    await self._presenter.show_accepted(await self._challenges.accept(press.subject, player_of(user)))
                case "decline":
                    await self._challenges.decline(press.subject, user.id)
                case _:
                    await self._challenges.withdraw(press.subject, user.id)
        except ChallengeClosedError:
            message = interaction.message
            on = None if message is None else PostedMessage(message.channel.id, message.id, 0)
            await self._presenter.show_challenge(press.subject, on=on)
            raise
        await self._presenter.show_challenge(press.subject)


async def check_challenge(interaction: Interaction, opponent: discord.Member | discord.User | None) -> None:
    """Refuse a challenge that nobody could see or accept, before anything is stored."""
    if is_computer(interaction, opponent):
        check_permissions(interaction)
        return
    if alone(interaction):
        raise RefusalError(
            _(
                "It is just the two of us here, so you can only play against me. Challenge a friend on a server or, "
                "once you have added me to your account, in your conversation with them."
            )
        )
    if opponent is not None and opponent.id == interaction.user.id:
        raise SelfChallengeError
    check_permissions(interaction)
    if opponent is not None:
        await _check_opponent(interaction, opponent)


def check_permissions(interaction: Interaction) -> None:
    """Refuse to play in a channel where the bot lacks a permission that its cards need."""
    if alone(interaction):
        return  # there is nobody who could forbid it
    if is_absent(interaction):
        if interaction.guild_id is not None and not interaction.permissions.use_external_apps:
            raise RefusalError(
                _("Only you can see what I show on this server. To play here, ask a moderator to add me.")
            )
        return
    needed = _NEEDED_IN_THREADS if isinstance(interaction.channel, discord.Thread) else _NEEDED
    missing = [_(label) for name, label in needed.items() if not getattr(interaction.app_permissions, name)]
    if missing:
        text = _("I am not allowed to play in this channel. Try another one, or ask somebody who manages this one.")
        if may_grant(interaction):
            text = _("I cannot play in this channel yet. Give me these permissions here: {permissions}.")
        raise RefusalError(text.format(permissions=", ".join(missing)))


async def _check_opponent(interaction: Interaction, opponent: discord.Member | discord.User) -> None:
    name = words.name(player_of(opponent))
    if opponent.bot:
        raise RefusalError(
            _("{player} is a bot, and of all bots only I play here. Challenge a person, or me.").format(player=name)
        )
    if interaction.guild_id is None:
        return  # Discord does not say who is in a conversation
    if not isinstance(opponent, discord.Member):
        if is_absent(interaction) and interaction.message is not None:
            return  # Discord offered the members, and does not let the bot look them up here
        raise RefusalError(
            _("{player} is not on this server. Invite them first, or challenge someone else.").format(player=name)
        )
    channel = interaction.channel
    permissions = opponent.resolved_permissions
    if permissions is None and isinstance(channel, discord.abc.GuildChannel | discord.Thread):
        permissions = channel.permissions_for(opponent)
    sees = permissions is None or permissions.view_channel
    if sees and isinstance(channel, discord.Thread) and channel.is_private():
        try:
            await channel.fetch_member(opponent.id)
        except discord.NotFound:
            sees = permissions is not None and permissions.manage_threads
        except discord.HTTPException:
            pass  # nobody can know, so let them try
    if not sees:
        raise RefusalError(
            _("{player} cannot see this channel. Challenge them in a channel that you share.").format(player=name)
        )
