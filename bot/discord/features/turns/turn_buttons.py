"""Turns in matches: chosen step by step on a private card, pressed, or typed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial

import discord

import render
from bot.discord.features.matches.games import GamesCommand
from bot.discord.features.people.digests import tell_refusal
from bot.discord.interaction.errors import refused, sentence
from bot.discord.interaction.feature import Feature, handles, loads_preferences, opens_form
from bot.discord.interaction.interactions import Interaction, player_of
from bot.discord.interaction.languages import Languages, speak_language_of
from bot.discord.interaction.private_cards import PrivateCards
from bot.discord.posting.presenter import Presenter
from bot.discord.posting.replaced_cards import ReplacedCards
from bot.discord.transport import replies
from bot.discord.transport.delivery import NotShownError
from bot.discord.ui import words
from bot.discord.ui.keypad import Act, Key, after_key
from bot.discord.ui.links import (
    AskHint,
    Close,
    OnBoard,
    OpenCurrentTurn,
    OpenTurn,
    PlayTurn,
    SetConfirmation,
    TypeTurn,
    hint_button,
)
from bot.discord.ui.messages import ActionButton, Form, Message, compose
from bot.discord.ui.presses import chosen
from bot.discord.ui.quoting import as_code
from bot.discord.ui.scenes import footer, private_look
from bot.discord.ui.turn_entry import COLOUR, backdrop_of, digest, effect_of, entry_view, play_question, typing_form
from bot.domain.deliveries import PostedMessage, ReplacedMessage
from bot.domain.matches import Game, MatchOverError, MovedOnError
from bot.domain.play import check_awaited
from bot.domain.preferences import TURNS_BEFORE_OFFER, Confirmation
from bot.domain.refusals import DomainError
from bot.domain.turn_entry import TurnEntry
from bot.services.matches import Matches, Played, Turn
from bot.services.reminders import Reminders
from bot.services.settings import Settings
from bot.texts import gettext as _
from rules import Draft, Passed, SideChosen, TurnError


class TurnKey(OnBoard, action="turn-key"):
    """A key on the private card of a turn; ``seen`` is the digest of the turn that the card shows."""

    seen: str
    key: Key


class CancelTurn(OnBoard, action="cancel"):
    pass


class TypedTurn(OnBoard, action="typed"):
    text: str = chosen()


@dataclass
class TurnButtons(Feature):
    matches: Matches
    settings: Settings
    languages: Languages
    reminders: Reminders
    presenter: Presenter
    replaced_cards: ReplacedCards
    games: GamesCommand
    private_cards: PrivateCards

    @opens_form(TypeTurn)
    async def open_form(self, interaction: Interaction, press: TypeTurn) -> Form:
        """Open the form to type the turn, for the player to move."""
        async with self.retiring(interaction, press):
            turn = await self._open(interaction, press.match_id, press.step)
            return turn_form(turn.game, turn.draft)

    @handles(OpenTurn)
    @loads_preferences
    async def open_turn(self, interaction: Interaction, press: OpenTurn) -> None:
        """Show the turn under construction or, before its first step, an area of the board."""
        async with self.retiring(interaction, press):
            turn = await self._open(interaction, press.match_id, press.step)
            await self._show(interaction, turn, turn.draft, area=None if turn.draft else press.area)

    @handles(OpenCurrentTurn)
    @loads_preferences
    async def open_current_turn(self, interaction: Interaction, press: OpenCurrentTurn) -> None:
        """Show the turn on the current board, because the card does not show the one that the button was made for."""
        turn = await self._open(interaction, press.match_id, None)
        await self._show(interaction, turn, turn.draft)

    @handles(PlayTurn)
    @loads_preferences
    async def press_turn(self, interaction: Interaction, press: PlayTurn) -> None:
        async with self.retiring(interaction, press):
            turn = await self._open(interaction, press.match_id, press.step)
            await self.submit(interaction, turn, press.turn)

    @handles(TurnKey)
    @loads_preferences
    async def press_key(self, interaction: Interaction, press: TurnKey) -> None:
        try:
            turn = await self._open(interaction, press.match_id, press.step)
            if press.seen == digest(turn.draft):
                await self._go_on(interaction, turn, press.key)
            else:
                note = _("You have continued elsewhere. This is your turn now:")
                await self._show(interaction, turn, turn.draft, note=note)
        except (DomainError, TurnError) as error:
            await self.languages.load(interaction)
            ends = press.key is Act.END
            if ends and await self.was_just_played(press.match_id, press.step, press.seen):
                await replies.finish(interaction)
            else:
                await replies.replace(interaction, sentence(error) or "")

    async def _go_on(self, interaction: Interaction, turn: Turn, key: Key) -> None:
        game, text, wish = turn.game, turn.draft, turn.preferences.confirmation
        after = await asyncio.to_thread(after_key, key, game.position, text)
        if after.entry.text != text:
            try:
                await self.matches.save_draft(game, interaction.user.id, after.entry.draft, before=text)
            except MovedOnError:  # chosen twice at once
                await self._show(interaction, turn, await self.matches.draft(game.match, interaction.user.id))
                return
        goes_at_once = wish in (Confirmation.AT_ONCE, Confirmation.NEVER)
        if not after.done or (key is not Act.END and (not goes_at_once or await _asks(turn, after.entry))):
            await self._show(interaction, turn, after.entry, area=after.area)
            return
        await self._play(interaction, turn, after.entry.draft)
        # Offered once, to somebody who has put some turns together with buttons and knows no other way.
        usual = wish is Confirmation.RISKY and turn.preferences.turns_by_buttons < TURNS_BEFORE_OFFER
        if key is Act.END and usual and await self.settings.count_turn_by_buttons(interaction.user.id):
            await replies.tell(interaction, at_once_offer())

    @handles(CancelTurn)
    @loads_preferences
    async def cancel(self, interaction: Interaction, press: CancelTurn) -> None:
        """Forget the turn, and the card with it."""
        turn = await self._open(interaction, press.match_id, press.step)
        if turn.draft:
            await self.matches.save_draft(turn.game, interaction.user.id, None, before=turn.draft)
        await replies.finish(interaction)

    @handles(TypedTurn)
    @loads_preferences
    async def play_typed(self, interaction: Interaction, press: TypedTurn) -> None:
        """Play what was typed into the form; what cannot be played comes back with the reason, and nothing is lost."""
        turn = await self._open(interaction, press.match_id, press.step)
        try:
            await self.submit(interaction, turn, press.text)
        except TurnError as error:
            note = f"✗ {refused(press.text, error)}"
            await self.private_cards.dismiss_turn(interaction, press.match_id)
            await self._show(interaction, turn, turn.draft, note=note)

    async def submit(self, interaction: Interaction, turn: Turn, text: str) -> None:
        """Play a turn, or show it first: when it is not complete, or when the player wants to be asked."""
        user, game = interaction.user, turn.game
        check_awaited(game, user.id)
        entry = await asyncio.to_thread(TurnEntry.begin, game.position, text)
        if entry.complete and not await _asks(turn, entry):
            await self._play(interaction, turn, entry.draft)
            return
        before = await self.matches.draft(game.match, user.id)
        await self.matches.save_draft(game, user.id, entry.draft, before=before)
        note = _("Do you mean this?") if entry.complete else _("This turn is not complete yet.")
        await self._show(interaction, turn, entry, note=note)

    @asynccontextmanager
    async def retiring(self, interaction: Interaction, press: OnBoard) -> AsyncIterator[None]:
        """Remove the buttons of the pressed card if the board has moved on."""
        try:
            yield
        except (MovedOnError, MatchOverError):
            message = interaction.message
            if message is not None and not message.flags.ephemeral:
                if not interaction.response.is_done():
                    await replies.acknowledge(interaction)
                card = PostedMessage(message.channel.id, message.id, 0, press.step)
                await self.replaced_cards.retire(ReplacedMessage(press.match_id, card, surplus=False))
            raise

    async def _show(
        self, interaction: Interaction, turn: Turn, chosen: TurnEntry | str, *, area: int | None = None, note: str = ""
    ) -> None:
        """Show what is chosen of a turn on the private card, which replaces the one where something was pressed."""
        game = turn.game
        look = private_look(turn.preferences, game, interaction.user.id)

        def card() -> Message:
            entry = TurnEntry.begin(game.position, chosen) if isinstance(chosen, str) else chosen
            return turn_card(game, entry, look, area=area, note=note)

        await self.private_cards.show(interaction, await asyncio.to_thread(card), game.match, builds_turn=True)

    async def _play(self, interaction: Interaction, turn: Turn, draft: Draft) -> None:
        """Store the turn, show the board, and answer."""
        await self._answer(interaction, await self.matches.play(turn.game, draft, player_of(interaction.user)))
        if turn.preferences.digest_refused:
            await tell_refusal(interaction, self.reminders)

    async def _answer(self, interaction: Interaction, played: Played) -> None:
        """Show the board; then the private card, or the command's answer, has served."""
        try:
            shown = await self.presenter.show_match(played.game.match.id, interaction, view=played.view)
        except NotShownError:
            if replies.on_private_card(interaction):
                await replies.finish(interaction)
            raise
        seen_here = shown is not None and shown.channel_id in (None, interaction.channel_id)
        text = _sentence(played.game, None if shown is None or seen_here else shown.channel_id)
        if played.next_match is not None:
            await self.games.offer_next(interaction, played.next_match, text)
            return
        if interaction.message is not None and not replies.on_private_card(interaction):
            return
        await (replies.finish(interaction) if seen_here else replies.show(interaction, text))

    async def _open(self, interaction: Interaction, match_id: int, seen_step: int | None) -> Turn:
        """The turn that waits for the user on the board that the button knew; their language is used from now on."""
        turn = await self.matches.turn(match_id, interaction.user.id, seen_step)
        speak_language_of(interaction, turn.preferences)
        return turn

    async def was_just_played(self, match_id: int, step: int, turn: str) -> bool:
        """Whether this turn, given by its digest, was the last one played, as after a double press."""
        game = await self.matches.game(match_id)
        return game.step == step + 1 and bool(game.turns) and digest(game.turns[-1]) == turn


async def _asks(turn: Turn, entry: TurnEntry) -> bool:
    """Whether the player wants to be asked before this turn counts."""
    return await asyncio.to_thread(entry.is_asked_about, turn.preferences.confirmation)


def turn_card(game: Game, entry: TurnEntry, look: render.Look, *, area: int | None = None, note: str = "") -> Message:
    """The turn under construction, its effect, and the next choices. This draws.

    ``area`` is the number of the area of the board to choose in; the ``note`` comes first.
    """
    match_id, step = game.match.id, game.step
    view = entry_view(entry, backdrop_of(game), look, partial(TurnKey, match_id, step, digest(entry.text)), area)
    told = [
        f"### {play_question(entry) if entry.finished else _('Your turn')}",
        note,
        effect_of(entry, game.position.turn_of),
        view.question,
    ]
    hints = game.match.computer is not None and not view.back
    return compose(
        "\n".join(filter(None, told)),
        picture=view.picture,
        footer=footer(game),
        keypad=view.keypad,
        buttons=(
            *view.end,
            *view.pass_,
            *view.back,
            *([hint_button(AskHint(match_id, step))] if hints else []),
            ActionButton(CancelTurn(match_id, step), _("Cancel")),
            ActionButton(TypeTurn(match_id, step), _("Type it")),
        ),
        colour=COLOUR,
    )


def turn_form(game: Game, text: str) -> Form:
    """The form to type a turn of a match, filled with the turn so far."""
    return typing_form(TypedTurn(game.match.id, game.step), game.position, text)


def at_once_offer() -> Message:
    return compose(
        _(
            "**Play at once?** A turn that you put together with buttons can be played as soon as it is complete. I "
            "still ask before risky turns."
        ),
        footer=_("{settings} changes it at any time.").format(settings=words.command("settings")),
        buttons=(
            ActionButton(SetConfirmation(Confirmation.AT_ONCE), _("Play at once"), discord.ButtonStyle.success),
            ActionButton(Close(), _("Keep asking")),
        ),
    )


def _sentence(played: Game, channel_id: int | None) -> str:
    """What is said to the player whose turn was played; with the channel of its board, if that is elsewhere."""
    values = {"turn": as_code(played.turns[-1]), "match": played.match.id}
    match played.events[0]:
        case SideChosen(chosen):
            values["side"] = words.side(played.match.ruleset, chosen)
            here = _("You chose **{side}** in match #{match}.")
            elsewhere = _("You chose **{side}** in match #{match}: {channel}")
        case Passed():
            here, elsewhere = _("You passed in match #{match}."), _("You passed in match #{match}: {channel}")
        case _:
            here = _("Played {turn} in match #{match}.")
            elsewhere = _("Played {turn} in match #{match}: {channel}")
    if channel_id is None:
        return here.format(**values)
    return elsewhere.format(channel=words.channel(channel_id), **values)
