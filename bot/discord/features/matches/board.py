"""``/board``: the board as it is, with marks on request, and the menu *More…* of a match."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Annotated

import discord
from discord import app_commands

import render
from bot.discord.features.matches.void_result import void_button
from bot.discord.interaction.access import Access
from bot.discord.interaction.errors import RefusalError, sentence
from bot.discord.interaction.feature import Feature, handles
from bot.discord.interaction.interactions import (
    Choices,
    Interaction,
    Typed,
    choice,
    may_grant,
    place_of,
    player_of,
    suggestions,
)
from bot.discord.interaction.options.match import RunningMatch, other_match
from bot.discord.interaction.private_cards import PrivateCards
from bot.discord.posting.cards.match import board_picture, chosen_card, heading, offered, result
from bot.discord.posting.cards.proposal import Propose, proposed
from bot.discord.posting.channels import Channels
from bot.discord.posting.presenter import Presenter
from bot.discord.posting.replaced_cards import ReplacedCards
from bot.discord.transport import replies
from bot.discord.transport.delivery import NotShownError
from bot.discord.ui import words
from bot.discord.ui.links import (
    AskHint,
    ChooseBoardCards,
    More,
    OpenClock,
    OpenReplay,
    Resign,
    TryTurns,
    board_cards_button,
    hint_button,
    more_button,
    rule_button,
)
from bot.discord.ui.messages import ActionButton, Message, Picture, compose, option_menu
from bot.discord.ui.presses import Id, Press, chosen
from bot.discord.ui.quoting import as_markdown
from bot.discord.ui.scenes import footer, private_look
from bot.domain.deliveries import MatchDelivery, PostedMessage, ReplacedMessage
from bot.domain.matches import Game, Match, MatchOverError, NotAPlayerError
from bot.domain.preferences import BoardCards
from bot.domain.proposals import ProposalKind
from bot.services.deliveries import Deliveries
from bot.services.matches import Matches
from bot.services.privacy import Privacy
from bot.services.proposals import Proposals
from bot.services.settings import Settings
from bot.texts import gettext as _
from bot.texts import gettext_noop
from rules import Phase
from rules.notation import tidy


class MoveHere(Press, action="move-here"):
    match_id: Id


async def _tell_where(interaction: Interaction, match: Match, delivery: MatchDelivery) -> None:
    here, home = interaction.channel_id, delivery.home.channel_id
    if delivery.channel_id is not None and delivery.channel_id == here:
        await replies.finish(interaction)
    elif delivery.channel_id is None:
        waits = _("Match #{match} waits until the match that is running here ends.")
        if home != here:
            waits = _("Match #{match} waits until the match that is running in {channel} ends.")
        text = waits.format(match=match.id, channel=words.channel(home))
        if match.guild_id is not None and may_grant(interaction):
            advice = _(
                "To start it sooner, allow me to *Create Public Threads* and *Send Messages in Threads* there, then "
                "use {board}."
            )
            text = f"{text} {advice.format(board=words.command('board'))}"
        await replies.tell(interaction, text if home == here else _with_move(match, text))
    else:
        where = _("The board is in {channel}.").format(channel=words.channel(delivery.channel_id))
        await replies.tell(interaction, _with_move(match, where))


def _with_move(match: Match, text: str) -> Message:
    return compose(text, buttons=(ActionButton(MoveHere(match.id), _("Play on here")),))


class Mark(Press, action="marks"):
    """Marks something on the board of a match, at first what every game has."""

    match_id: Id
    cell: Annotated[str, 5] = ""
    overlay: Annotated[str, 30] = chosen(default="")


@dataclass
class BoardCommands(Feature):
    matches: Matches
    access: Access
    deliveries: Deliveries
    settings: Settings
    proposals: Proposals
    privacy: Privacy
    presenter: Presenter
    channels: Channels
    replaced_cards: ReplacedCards
    private_cards: PrivateCards

    @suggestions
    async def overlays(self, interaction: Interaction, typed: str) -> Choices:
        match = await self._find(interaction, other_match(interaction))
        titles = overlay_titles(match)
        return [choice(title, name) for name, title in titles.items() if typed.strip().casefold() in title.casefold()]

    @suggestions
    async def cells(self, interaction: Interaction, typed: str) -> Choices:
        match = await self._find(interaction, other_match(interaction))
        on = match.ruleset.board
        return [choice(name, name) for name in on.names(on.mask) if name.startswith(typed.strip().lower())]

    @app_commands.command(description=gettext_noop("Show the current board again, with marks if you like"))
    @app_commands.describe(
        match=gettext_noop("The number of the match, if it is not the one played here"),
        overlay=gettext_noop("What to mark on the board, for you alone"),
        cell=gettext_noop("Mark only what has to do with this cell"),
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
        user = interaction.user
        if overlay is None and cell is not None:
            named = as_markdown(cell[:20])
            raise RefusalError(_("Choose with `overlay` what to mark for “{cell}”.").format(cell=named))
        if overlay is None and found.result is None and found.has_player(user.id):
            await self._bring_board(interaction, found)
            return
        name = None if overlay is None else _overlay(found, overlay)
        await replies.tell(interaction, await self._private_board(interaction, found, name, cell or ""))

    @handles(More)
    async def open_menu(self, interaction: Interaction, press: More) -> None:
        """Show everything that the match has besides the next turn."""
        match, message = await self._find(interaction, press.match_id), interaction.message
        if message is not None and press.step != match.step and not replies.on_private_card(interaction):
            card = PostedMessage(message.channel.id, message.id, 0, press.step)
            await self.replaced_cards.retire(ReplacedMessage(match.id, card, surplus=False))
        game, may_overrule = await self.matches.game_of(match), await self.access.may_overrule(interaction, match)
        delivery, settings = await self.deliveries.get(match.id), await self.settings.server_settings(match.guild_id)
        cards = self.channels.board_cards_of(delivery, settings)
        menu = await asyncio.to_thread(menu_card, game, interaction.user.id, cards, may_overrule=may_overrule)
        await self.private_cards.show(interaction, menu, match)

    @handles(Mark)
    async def mark(self, interaction: Interaction, press: Mark) -> None:
        """Show the board with the overlay that was chosen, at first with the one that every game has."""
        match = await self._find(interaction, press.match_id)
        name = _overlay(match, press.overlay or next(iter(overlay_titles(match))))
        await replies.show(interaction, await self._private_board(interaction, match, name, press.cell))

    async def _find(self, interaction: Interaction, number: int | None) -> Match:
        return await self.matches.find_board(self.access.viewer_of(interaction), number)

    async def _private_board(self, interaction: Interaction, match: Match, overlay: str | None, cell: str) -> Message:
        """The board for the user alone, with marks if there is an ``overlay``."""
        user = interaction.user
        game = await self.matches.game_of(match)
        about = game.position.named(tidy(cell)) if cell else None
        look = private_look(await self.settings.preferences(user.id), game, user.id)
        picture = await asyncio.to_thread(board_picture, game, look, overlay=overlay, cell=about)
        delivery, link = await self.deliveries.get(match.id), None
        if delivery.channel_id != interaction.channel_id:
            link = words.card_link(match.guild_id, delivery.message)
        counts = match.result is not None and match.result.counts
        buttons = (void_button(match.id),) if counts and await self.access.may_overrule(interaction, match) else ()
        if overlay is None:
            return private_board(game, picture, link, buttons)
        return marked_board(game, picture, overlay, about, link, buttons)

    async def _bring_board(self, interaction: Interaction, match: Match) -> None:
        """Give a player a new live card, with its buttons, where the match is played; elsewhere, say where that is.

        The match has a delivery. One whose channel is gone goes on here, and the opponent can be asked to continue any
        other one here.
        """
        await self.privacy.count_post(player_of(interaction.user))
        try:
            shown = await self.presenter.show_again(match.id, interaction)
        except NotShownError as error:
            if error.gone and error.channel_id != interaction.channel_id:
                await self._take_here(interaction, match)
            elif error.closed and error.channel_id != interaction.channel_id:
                await replies.tell(interaction, _with_move(match, sentence(error) or ""))
            else:
                raise
            return
        assert shown is not None, "it has a board"
        waits_elsewhere = shown.channel_id is None and shown.home.channel_id != interaction.channel_id
        if waits_elsewhere and await self.channels.is_without_channel(shown):
            await self._take_here(interaction, match)
        else:
            await _tell_where(interaction, match, shown)

    @handles(MoveHere)
    async def move_here(self, interaction: Interaction, press: MoveHere) -> None:
        """Ask the opponent to go on here."""
        proposal = await self.proposals.propose(
            press.match_id,
            interaction.user.id,
            ProposalKind.MOVE,
            place=place_of(interaction),
            parent_id=await self.access.thread_parent(interaction),
        )
        await replies.replace(interaction, proposed(proposal, await self.matches.match(press.match_id)))
        await self.presenter.show_proposal(proposal.id, interaction)

    async def _take_here(self, interaction: Interaction, match: Match) -> None:
        match = await self.proposals.move_from_gone_channel(
            match.id,
            interaction.user.id,
            place_of(interaction),
            parent_id=await self.access.thread_parent(interaction),
        )
        shown = await self.presenter.show_match(match.id, interaction)
        assert shown is not None, "it was just moved here"
        await _tell_where(interaction, match, shown)

    @handles(ChooseBoardCards)
    async def choose_board_cards(self, interaction: Interaction, press: ChooseBoardCards) -> None:
        match = await self.matches.match(press.match_id)
        if not match.has_player(interaction.user.id):
            await self.access.check_overrule(interaction, match, NotAPlayerError(match))
        if match.result is not None:
            raise MatchOverError(match)
        await self.deliveries.choose_board_cards(match.id, press.cards)
        await replies.show(interaction, chosen_card(match, press.cards))


def _overlay(match: Match, typed: str) -> str:
    """The overlay that was chosen, or whose title was typed."""
    titles = overlay_titles(match)
    for name, title in titles.items():
        if typed.strip().casefold() in (name, title.casefold()):
            return name
    raise RefusalError(
        _("{game} has no such marks. There are: {overlays}.").format(
            game=match.ruleset.game.title, overlays=", ".join(titles.values())
        )
    )


def menu_card(game: Game, viewer_id: int, board_cards: BoardCards, *, may_overrule: bool = False) -> Message:
    """Everything that somebody can look up about a match and, if they play in it, do about it.

    ``board_cards`` is how the match is shown. Who ``may_overrule`` the players can end it.
    """
    match, position = game.match, game.position
    sections = position.sections
    rule = sections.opening if position.phase in (Phase.OPENING, Phase.CHOICE) else sections.turn
    look_up = [
        rule_button(rule),
        ActionButton(Mark(match.id), _("Marks on the board"), emoji="🔎"),
        ActionButton(TryTurns(match.id, game.ply), _("Try turns"), emoji="🧪"),
    ]
    if game.turns:
        look_up.append(ActionButton(OpenReplay(match.id, game.ply), _("Replay"), emoji="🎞️"))
    running = match.result is None
    if running and match.computer is not None and game.to_act is not None and game.to_act.id == viewer_id:
        look_up.append(hint_button(AskHint(match.id, match.step)))
    plays = running and match.has_player(viewer_id)
    ask = _requests(game, viewer_id) if plays else []
    if running and match.clock is not None:
        ask.append(ActionButton(OpenClock(match.id), _("Time"), emoji="⏳"))
    if plays:
        ask.append(board_cards_button(match, board_cards))
    end = []
    if plays or (running and may_overrule):
        label = _("Resign…") if plays else _("End this match…")
        press = Resign(match.id, match.step)
        end.append(ActionButton(press, label, discord.ButtonStyle.danger))
    return compose(
        f"### {match.ruleset.game.title} · {words.versus(match)}",
        words.goal(match.ruleset),
        footer=footer(game),
        keypad=(tuple(look_up), tuple(ask)),
        buttons=tuple(end),
    )


def _requests(game: Game, player_id: int) -> list[ActionButton]:
    """What a player can ask of the opponent."""
    match, buttons = game.match, []
    if match.waiting:
        return []
    if game.turns:
        press = Propose(match.id, match.step, ProposalKind.TAKE_BACK)
        buttons.append(ActionButton(press, _("Take back"), emoji="↩️"))
    draw = _("Accept the draw") if offered(match, ProposalKind.DRAW, player_id) else _("Offer a draw")
    buttons.append(ActionButton(Propose(match.id, match.step, ProposalKind.DRAW), draw, emoji="🤝"))
    return buttons


def overlay_titles(match: Match) -> dict[str, str]:
    """The overlays of the match's game, each in words."""
    offered = render.overlays_of(match.ruleset.game)
    return {name: _(overlay.title)[:1].upper() + _(overlay.title)[1:] for name, overlay in offered.items()}


def marked_board(
    game: Game, board: Picture, overlay: str, cell: int | None, link: str | None, buttons: tuple[ActionButton, ...] = ()
) -> Message:
    """The board with an overlay, what its marks mean, and the menu of the others; ``cell`` is what it is about."""
    match = game.match
    about = "" if cell is None else game.position.board.name(cell)
    titles, legend = overlay_titles(match), render.overlays_of(match.ruleset.game)[overlay].legend
    marked = " · ".join(filter(None, [titles[overlay], about]))
    return compose(
        f"### 🔎 {marked}",
        _(legend) if legend else "",
        _("[Jump to the match]({link})").format(link=link) if link else "",
        picture=board,
        footer=footer(game),
        menus=(option_menu(Mark(match.id, about), titles, _("Marks on the board"), overlay),),
        buttons=(more_button(match), *buttons),
    )


def private_board(game: Game, board: Picture, link: str | None, buttons: tuple[ActionButton, ...] = ()) -> Message:
    """A copy of the board for somebody who only looks."""
    if game.match.result is not None:
        status = result(game)
    else:
        awaited = game.to_act
        assert awaited is not None
        status = _("{player} to play.").format(player=words.name(awaited))
    where = _("[Jump to the match]({link})").format(link=link) if link else ""
    return compose(
        heading(game),
        words.last_turn(game),
        status,
        where,
        picture=board,
        footer=footer(game),
        buttons=buttons,
    )
