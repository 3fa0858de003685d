"""``/board``, with marks on request, and the menu *More…* of a match."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Annotated

import discord
from discord import app_commands

import render
from bot.discord.features.matches.moderation import void_button
from bot.discord.interaction.errors import RefusalError, sentence
from bot.discord.interaction.feature import handles
from bot.discord.interaction.interactions import (
    Choices,
    Interaction,
    Typed,
    choice,
    chosen,
    may_grant,
    player_of,
    suggestions,
)
from bot.discord.interaction.languages import Languages
from bot.discord.interaction.options.match import MatchFeature, RunningMatch, other_match
from bot.discord.interaction.private_cards import PrivateCards
from bot.discord.posting.cards.match import board_cards_answer, board_picture, heading
from bot.discord.posting.cards.proposal import Propose, draw_buttons, proposal_answer
from bot.discord.posting.channels import Channels
from bot.discord.posting.match_presenter import MatchPresenter
from bot.discord.transport.answers import Answer, on_private_card
from bot.discord.transport.sender import NotShownError
from bot.discord.ui import markdown
from bot.discord.ui.actions import (
    AskHint,
    ChooseBoardCards,
    EvenMore,
    More,
    OnBoard,
    OpenClock,
    OpenPlan,
    OpenReplay,
    RemoveFromHere,
    Resign,
    TryTurns,
    board_cards_button,
    hint_button,
    more_button,
    note_button,
    rule_button,
    stranger_buttons,
)
from bot.discord.ui.markdown import CommandMentions
from bot.discord.ui.messages import ActionButton, Message, Picture, compose, option_menu
from bot.discord.ui.presses import Id, Press, user_input
from bot.discord.ui.scenes import footer, result
from bot.domain.computer import gives_hints
from bot.domain.deliveries import MatchDelivery, PostedMessage, home_for
from bot.domain.matches import Game, Match, MatchOverError, NotAPlayerError, ProposalKind
from bot.domain.preferences import BoardCards
from bot.pictures import overlay_titles, private_look
from bot.services.deliveries import Deliveries
from bot.services.people.privacy import Privacy
from bot.services.people.settings import Settings
from bot.services.proposals import Proposals
from bot.texts import gettext as _, gettext_noop
from bot.wording import words
from bot.wording.quoting import as_markdown
from rules import Phase
from rules.notation import tidy


class MoveHere(Press, action="move-here"):
    match_id: Id


class Mark(Press, action="marks"):
    """Show a board with marks about a cell or about all cells, by default the first marks of its game."""

    match_id: Id
    cell: Annotated[str, 5] = ""
    overlay: Annotated[str, 30] = user_input(default="")


@dataclass
class BoardCommands(MatchFeature):
    deliveries: Deliveries
    settings: Settings
    languages: Languages
    proposals: Proposals
    privacy: Privacy
    match_presenter: MatchPresenter
    channels: Channels
    private_cards: PrivateCards
    command_mentions: CommandMentions

    @suggestions
    async def overlays(self, interaction: Interaction, typed: str) -> Choices:
        titles = overlay_titles((await self._find(interaction, other_match(interaction))).ruleset.game)
        return [choice(title, name) for name, title in titles.items() if typed.strip().casefold() in title.casefold()]

    @suggestions
    async def cells(self, interaction: Interaction, typed: str) -> Choices:
        board = (await self._find(interaction, other_match(interaction))).ruleset.board
        return [choice(name, name) for name in board.names(board.mask) if name.startswith(typed.strip().lower())]

    @app_commands.command(description=gettext_noop("Show the current board again, with marks if you like"))
    @app_commands.describe(
        match=gettext_noop("The number of the match, unless it is the one here"),
        overlay=gettext_noop("Marks to show on the board, for you alone"),
        cell=gettext_noop("Mark only what concerns this cell"),
    )
    @app_commands.autocomplete(overlay=overlays, cell=cells)
    async def board(
        self,
        interaction: Interaction,
        match: RunningMatch | None = None,
        overlay: Typed | None = None,
        cell: Typed | None = None,
    ) -> None:
        found = await self._find(interaction, match)
        if overlay is None and cell is not None:
            text = _("Choose with `overlay` what to mark for “{cell}”.")
            raise RefusalError(text.format(cell=as_markdown(cell[:20])))
        if overlay is None and found.result is None and found.has_player(interaction.user.id):
            await self._bring_board(interaction, found)
            return
        name = None if overlay is None else _overlay(found, overlay)
        await Answer.of(interaction).respond(await self._private_board(interaction, found, name, cell or ""))

    @handles(More, EvenMore)
    async def open_menu(self, interaction: Interaction, press: OnBoard) -> None:
        """Show the menu of the match, privately."""
        match, message = await self._find(interaction, press.match_id), interaction.message
        if message is not None and press.step != match.step and not on_private_card(interaction):
            card = PostedMessage(message.channel.id, message.id, 0, press.step)
            await self.match_presenter.strip(match.id, card)
        game, may_overrule = await self.matches.game_of(match), await self.access.may_overrule(interaction, match)
        homes = await self.deliveries.homes(match.id)
        delivery = home_for(homes, self.access.viewer_of(interaction))
        settings = await self.settings.server_settings(delivery.home.guild_id)
        cards = self.channels.board_cards_of(delivery, settings)
        rare = isinstance(press, EvenMore)
        removable = match.apart is not None and await self.access.may_moderate(interaction, delivery.home)
        menu = await asyncio.to_thread(
            menu_card, game, interaction.user.id, cards, rare=rare, may_overrule=may_overrule, removable=removable
        )
        await self.private_cards.show(interaction, menu, match)

    @handles(Mark)
    async def mark(self, interaction: Interaction, press: Mark) -> None:
        match = await self._find(interaction, press.match_id)
        name = _overlay(match, press.overlay or next(iter(overlay_titles(match.ruleset.game))))
        await Answer.of(interaction).respond(await self._private_board(interaction, match, name, press.cell))

    async def _find(self, interaction: Interaction, number: int | None) -> Match:
        return await self.matches.find_board(self.access.viewer_of(interaction), number)

    async def _private_board(self, interaction: Interaction, match: Match, overlay: str | None, cell: str) -> Message:
        """The board for the user alone, perhaps with the marks of an ``overlay``."""
        user, game = interaction.user, await self.matches.game_of(match)
        about = game.position.cell_named(tidy(cell)) if cell else None
        look = private_look(await self.languages.load(interaction), game, user.id)
        picture = await asyncio.to_thread(board_picture, game, look, overlay=overlay, cell=about)
        delivery, link = home_for(await self.deliveries.homes(match.id), self.access.viewer_of(interaction)), None
        if delivery.channel_id != interaction.channel_id:
            link = markdown.card_link(delivery.home.guild_id, delivery.message)
        counts = match.result is not None and match.result.counts
        buttons = (void_button(match.id),) if counts and await self.access.may_overrule(interaction, match) else ()
        if overlay is None:
            return private_board(game, picture, link, buttons)
        return marked_board(game, picture, overlay, about, link, buttons)

    async def _bring_board(self, interaction: Interaction, match: Match) -> None:
        """Post a new live card for a player where the match is played, and name that place if it is not here.

        If that place is lost, the match moves here. Otherwise the player can ask the opponent to move it.
        """
        here = interaction.channel_id
        await self.privacy.count_post(player_of(interaction.user))
        try:
            shown = await self.match_presenter.show_again(match.id, interaction)
        except NotShownError as error:
            if not error.closed or error.channel_id == here:
                raise
            if error.lost:
                await self._move_home(interaction, match)
            else:
                await Answer.of(interaction).respond(_with_move(match, sentence(error, self.command_mentions) or ""))
            return
        waits_elsewhere = shown.channel_id is None and shown.home.channel_id != here
        if waits_elsewhere and await self.channels.is_out_of_reach(shown.home):
            await self._move_home(interaction, match)
        else:
            await _tell_where(interaction, match, shown, self.command_mentions)

    @handles(MoveHere)
    async def move_here(self, interaction: Interaction, press: MoveHere) -> None:
        place, match = await self.access.place_of(interaction), await self.matches.match(press.match_id)
        if match.apart is not None:  # the home is the player's own
            await self._move_home(interaction, match)
            return
        proposal = await self.proposals.propose(
            press.match_id, interaction.user.id, ProposalKind.MOVE, place=place, shown_by_caller=True
        )
        await Answer.of(interaction).respond(proposal_answer(proposal, match))
        await self.match_presenter.show_proposal(proposal.id, interaction)

    async def _move_home(self, interaction: Interaction, match: Match) -> None:
        """Move a match here whose place is lost, or the player's own."""
        place = await self.access.place_of(interaction)
        match = await self.proposals.move_home(match.id, interaction.user.id, place, shown_by_caller=True)
        shown = await self.match_presenter.show_match(match.id, interaction)
        await _tell_where(interaction, match, shown, self.command_mentions)

    @handles(ChooseBoardCards)
    async def choose_board_cards(self, interaction: Interaction, press: ChooseBoardCards) -> None:
        match = await self.matches.match(press.match_id)
        if not match.has_player(interaction.user.id):
            await self.access.check_overrule(interaction, match, NotAPlayerError(match))
        if match.result is not None:
            raise MatchOverError(match)
        await self.deliveries.choose_board_cards(match.card_of(interaction.user.id), press.cards)
        await Answer.of(interaction).respond(board_cards_answer(match, press.cards))


async def _tell_where(
    interaction: Interaction, match: Match, delivery: MatchDelivery, command_mentions: CommandMentions
) -> None:
    """Answer with the place of a match, unless it is here."""
    here, home = interaction.channel_id, delivery.home.channel_id
    if delivery.channel_id is not None:
        if delivery.channel_id == here:
            await Answer.of(interaction).delete()
        else:
            where = _("The board is in {channel}.").format(channel=markdown.channel(delivery.channel_id))
            await Answer.of(interaction).respond(_with_move(match, where))
        return
    waits = _("Match #{match} waits for the match here to end.")
    if home != here:
        waits = _("Match #{match} waits for the match in {channel} to end.")
    text = waits.format(match=match.id, channel=markdown.channel(home))
    if match.guild_id is not None and may_grant(interaction):
        advice = _(
            "To start it sooner, allow me to *Create Public Threads* and *Send Messages in Threads* there, then use "
            "{board}."
        )
        text = f"{text} {advice.format(board=command_mentions.of('board'))}"
    await Answer.of(interaction).respond(text if home == here else _with_move(match, text))


def _with_move(match: Match, text: str) -> Message:
    return compose(text, buttons=(ActionButton(MoveHere(match.id), _("Play on here")),))


def _overlay(match: Match, typed: str) -> str:
    """The overlay that the user has chosen, or typed by its title. Raises a refusal."""
    titles = overlay_titles(match.ruleset.game)
    name = chosen(typed, titles)
    if name is not None:
        return name
    text = _("{game} has other marks: {overlays}.")
    raise RefusalError(text.format(game=match.ruleset.game.title, overlays=", ".join(titles.values())))


def menu_card(
    game: Game,
    viewer_id: int,
    board_cards: BoardCards,
    *,
    rare: bool = False,
    may_overrule: bool = False,
    removable: bool = False,
) -> Message:
    """The menu of a match: what everybody can look up, and what players can do.

    Players find what they need rarely on a second card, with ``rare``. ``board_cards`` is the kind of the match's
    cards. A viewer who ``may_overrule`` the players can end it, and a moderator can remove a ``removable`` match from
    the server. Replays the match: call it in a thread.
    """
    match, running = game.match, game.match.result is None
    plays = running and match.has_player(viewer_id)
    look_up = [
        ActionButton(Mark(match.id), _("Show on the board"), emoji="🔎"),
        ActionButton(TryTurns(match.id, game.ply), _("Try turns"), emoji="🧪"),
    ]
    own, end = list[ActionButton](), list[ActionButton]()
    if running and gives_hints(match) and game.to_act is not None and game.to_act.id == viewer_id:
        look_up.append(hint_button(AskHint(match.id, match.step)))
    if plays and game.turns and not match.waiting:
        take_back = Propose(match.id, match.step, ProposalKind.TAKE_BACK)
        own.append(ActionButton(take_back, _("Take back"), emoji="↩️"))
    if running and match.clock is not None:
        own.append(ActionButton(OpenClock(match.id), _("Time"), emoji="⏳"))
    if plays or (running and may_overrule):
        label = _("Resign…") if plays else _("End this match…")
        end.append(ActionButton(Resign(match.id, match.step), label, discord.ButtonStyle.danger))
    if removable and running and not plays:
        end.append(ActionButton(RemoveFromHere(match.id), _("Remove it from here"), discord.ButtonStyle.danger))
    seldom = _rarely_needed(game, viewer_id, board_cards, plays=plays)
    if not plays:
        look_up += seldom
    elif rare:
        look_up, own, end = seldom[:2], seldom[2:], [ActionButton(More(match.id, match.step), _("Back"))]
    else:
        end.append(ActionButton(EvenMore(match.id, match.step), _("Even more…")))
    return compose(
        f"### {match.ruleset.game.title} · {words.versus(*game.players)}",
        words.goal(match.ruleset),
        footer=footer(game),
        keypad=(tuple(look_up), tuple(own)),
        buttons=tuple(end),
    )


def _rarely_needed(game: Game, viewer_id: int, board_cards: BoardCards, *, plays: bool) -> list[ActionButton]:
    match, position = game.match, game.position
    sections = position.sections
    found = [rule_button(sections.opening if position.phase in (Phase.OPENING, Phase.CHOICE) else sections.turn)]
    if game.turns:
        found.append(ActionButton(OpenReplay(match.id, game.ply), _("Replay"), emoji="🎞️"))
    if plays:
        found += [ActionButton(OpenPlan(match.id), _("Plan"), emoji="📌"), note_button(match)]
        found += [*draw_buttons(game, viewer_id), board_cards_button(match, board_cards), *stranger_buttons(match)]
    return found


def marked_board(
    game: Game, board: Picture, overlay: str, cell: int | None, link: str | None, buttons: tuple[ActionButton, ...] = ()
) -> Message:
    """The board with an overlay, perhaps about a ``cell``, the overlay's legend, and a menu of all overlays."""
    match = game.match
    about = "" if cell is None else game.position.board.name(cell)
    titles, legend = overlay_titles(match.ruleset.game), render.overlays_of(match.ruleset.game)[overlay].legend
    return compose(
        f"### 🔎 {' · '.join(filter(None, [titles[overlay], about]))}",
        _(legend) if legend else "",
        _jump(link),
        picture=board,
        footer=footer(game),
        menus=(option_menu(Mark(match.id, about), titles, _("Show on the board"), overlay),),
        buttons=(more_button(match), *buttons),
    )


def private_board(game: Game, board: Picture, link: str | None, buttons: tuple[ActionButton, ...] = ()) -> Message:
    """The board without buttons to play."""
    if game.match.result is not None:
        status: str = result(game)
    else:
        assert game.to_act is not None
        status = _("{player}'s turn.").format(player=words.name(game.to_act))
    texts = heading(game), words.last_turn(game), status, _jump(link)
    return compose(*texts, picture=board, footer=footer(game), buttons=buttons)


def _jump(link: str | None) -> str:
    return "" if link is None else _("[Jump to the match]({link})").format(link=link)
