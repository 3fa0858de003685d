"""``/move``, ``/pass`` and ``/resign``, and turns on a private card, by keys or by typing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial

import discord
from discord import app_commands

import render
from bot.discord.features.matches.games import GamesCommand
from bot.discord.features.matches.moderation import ask_to_end
from bot.discord.features.people.digests import tell_refusal
from bot.discord.interaction.errors import NumberError, sentence, why_refused
from bot.discord.interaction.feature import handles, loads_preferences, opens_form
from bot.discord.interaction.interactions import (
    Choices,
    Interaction,
    player_of,
    refused_choice,
    suggestions,
    without_notes,
)
from bot.discord.interaction.languages import Languages
from bot.discord.interaction.options.match import MATCH_NUMBER, MatchFeature, MatchToEnd, OwnMatch, other_match
from bot.discord.interaction.options.turn import offered_turns
from bot.discord.interaction.private_cards import PrivateCards
from bot.discord.posting.cards.proposal import Propose, draw_buttons, opponent_proposes
from bot.discord.posting.match_presenter import MatchPresenter
from bot.discord.transport.answers import Answer, on_private_card
from bot.discord.transport.sender import NotShownError
from bot.discord.ui import markdown
from bot.discord.ui.actions import (
    AskHint,
    Close,
    OnBoard,
    OpenTurn,
    PlayTurn,
    Resign,
    SetConfirmation,
    TypeTurn,
    hint_button,
    page_button,
)
from bot.discord.ui.keypad import ControlKey, Key, after_key
from bot.discord.ui.markdown import CommandMentions
from bot.discord.ui.messages import ActionButton, Form, Message, compose
from bot.discord.ui.presses import user_input
from bot.discord.ui.scenes import footer
from bot.discord.ui.turn_entry import COLOUR, LONGEST_TURN, backdrop_of, entry_view, typing_form
from bot.domain.computer import gives_hints
from bot.domain.deliveries import PostedMessage
from bot.domain.matches import Game, MatchOverError, MovedOnError, NotAPlayerError, ProposalKind
from bot.domain.play import check_awaited, check_running
from bot.domain.preferences import TURNS_BEFORE_OFFER, Confirmation
from bot.domain.refusals import DomainError
from bot.domain.turn_entry import TurnEntry, digest
from bot.pictures import private_look
from bot.services.matches import PlayResult, Turn
from bot.services.people.doors import Doors
from bot.services.people.reminders import Reminders
from bot.services.people.settings import Settings
from bot.texts import gettext as _, gettext_noop
from bot.wording import words
from bot.wording.quoting import as_code
from bot.wording.sentence import Sentence
from bot.wording.turns import effect_of, play_question
from rules import PASS, Draft, Passed, SideChosen, TurnError
from rules.notation import tidy


class TurnKey(OnBoard, action="turn-key"):
    """A key on the private card of the turn with the digest ``turn_digest``."""

    turn_digest: str
    key: Key


class CancelTurn(OnBoard, action="cancel"):
    pass


class TypedTurn(OnBoard, action="typed"):
    text: str = user_input()


class ConfirmResignation(OnBoard, action="resign-now"):
    pass


@dataclass
class MoveCommands(MatchFeature):
    settings: Settings
    languages: Languages
    reminders: Reminders
    match_presenter: MatchPresenter
    games: GamesCommand
    private_cards: PrivateCards
    doors: Doors
    command_mentions: CommandMentions

    @suggestions
    async def turns(self, interaction: Interaction, typed: str) -> Choices:
        try:
            number, known = other_match(interaction), await self.languages.load(interaction)
            game = (await self.matches.find_turn(self.access.viewer_of(interaction), number, known)).game
        except (DomainError, NumberError) as error:
            return [refused_choice((sentence(error, self.command_mentions) or Sentence()).plain, typed or PASS)]
        match, awaited = game.match, game.to_act
        if awaited is None or awaited.id != interaction.user.id:
            text = _("match #{match}: it is over") if awaited is None else _("match #{match}: it is {player}'s turn")
            player = "" if awaited is None else words.plain_name(awaited)
            return [refused_choice(text.format(match=match.id, player=player), typed or PASS)]
        return await asyncio.to_thread(offered_turns, game, typed)

    @app_commands.command(description=gettext_noop("Play a turn: a cell, or a side after the opening"))
    @app_commands.describe(turn=gettext_noop("A cell such as e5, or a side"), match=MATCH_NUMBER)
    @app_commands.autocomplete(turn=turns)
    @loads_preferences
    async def move(
        self, interaction: Interaction, turn: app_commands.Range[str, 1, LONGEST_TURN], match: OwnMatch | None = None
    ) -> None:
        await self.submit(interaction, await self._find(interaction, match), without_notes(turn))

    @app_commands.command(name="pass", description=gettext_noop("Pass, if the rules of the game allow it"))
    @app_commands.describe(match=MATCH_NUMBER)
    @loads_preferences
    async def pass_turn(self, interaction: Interaction, match: OwnMatch | None = None) -> None:
        await self.submit(interaction, await self._find(interaction, match), PASS)

    @app_commands.command(description=gettext_noop("Resign a match, or end one that is stuck; I will ask first"))
    @app_commands.describe(match=MATCH_NUMBER)
    @loads_preferences
    async def resign(self, interaction: Interaction, match: MatchToEnd | None = None) -> None:
        try:
            found = (await self._find(interaction, match)).game
        except NotAPlayerError as error:
            await self.languages.load(interaction)
            await ask_to_end(interaction, self.access, error.match)
            return
        check_running(found.match, interaction.user.id)
        await self.private_cards.show(interaction, resign_question(found, interaction.user.id), found.match)

    @handles(Resign)
    async def ask_to_resign(self, interaction: Interaction, press: Resign) -> None:
        async with self.retiring(interaction, press):
            try:
                game = await self.matches.game(press.match_id)
                check_running(game.match, interaction.user.id, press.step)
            except NotAPlayerError as error:
                await ask_to_end(interaction, self.access, error.match)
            else:
                await self.private_cards.show(interaction, resign_question(game, interaction.user.id), game.match)

    @handles(ConfirmResignation)
    async def resign_now(self, interaction: Interaction, press: ConfirmResignation) -> None:
        try:
            await self.matches.resign(press.match_id, interaction.user.id, seen_step=press.step, shown_by_caller=True)
        except MovedOnError:
            await Answer.of(interaction).respond(_("The board has moved on since you asked, so you did not resign."))
            return
        shown = await self.match_presenter.show_match(press.match_id, interaction)
        if shown is not None and shown.channel_id == interaction.channel_id:
            await Answer.of(interaction).delete()
        else:
            await Answer.of(interaction).respond(_("You resigned."))

    @handles(Close)
    async def keep_playing(self, interaction: Interaction, _press: Close) -> None:
        await Answer.of(interaction).delete()

    async def _find(self, interaction: Interaction, number: int | None) -> Turn:
        """The running match that the user means, with their preferences. Uses their language from now on."""
        turn = await self.matches.find_turn(self.access.viewer_of(interaction), number)
        self.languages.speak(interaction, turn.preferences)
        return turn

    @opens_form(TypeTurn)
    async def open_form(self, interaction: Interaction, press: TypeTurn) -> Form:
        async with self.retiring(interaction, press):
            turn = await self._open(interaction, press.match_id, press.step)
            return typing_form(TypedTurn(press.match_id, press.step), turn.game.position, turn.draft)

    @handles(OpenTurn)
    @loads_preferences
    async def open_turn(self, interaction: Interaction, press: OpenTurn) -> None:
        """Show the turn under construction or, before its first element, an area of the board."""
        async with self.retiring(interaction, press):
            turn = await self._open(interaction, press.match_id, press.step)
            await self._show(interaction, turn, area=None if turn.draft else press.area)

    @handles(PlayTurn)
    @loads_preferences
    async def press_turn(self, interaction: Interaction, press: PlayTurn) -> None:
        async with self.retiring(interaction, press):
            await self.submit(interaction, await self._open(interaction, press.match_id, press.step), press.turn)

    @handles(TurnKey)
    @loads_preferences
    async def press_key(self, interaction: Interaction, press: TurnKey) -> None:
        try:
            turn = await self._open(interaction, press.match_id, press.step)
            if press.turn_digest == digest(turn.draft):
                await self._go_on(interaction, turn, press.key)
            else:
                note = _("You have continued elsewhere. Here is your turn:")
                await self._show(interaction, turn, note=note)
        except (DomainError, TurnError) as error:
            await self.languages.load(interaction)
            if press.key is ControlKey.END and await self._was_just_played(press):
                await Answer.of(interaction).delete()
            else:
                await Answer.of(interaction).respond(sentence(error, self.command_mentions) or "")

    async def _go_on(self, interaction: Interaction, turn: Turn, key: Key) -> None:
        game, text = turn.game, turn.draft
        entry, plays = await asyncio.to_thread(_after_key, turn, key)
        if entry.text != text:
            try:
                await self.matches.save_draft(game, interaction.user.id, entry.draft, before=text)
            except MovedOnError:  # two simultaneous choices
                draft = await self.matches.draft(game.match, interaction.user.id)
                await self._show(interaction, replace(turn, draft=draft))
                return
        if not plays:
            await self._show(interaction, turn, entry)
            return
        await self._play(interaction, turn, entry.draft)
        # Offered once, to players who have played some turns with buttons and never changed the setting.
        chosen = turn.preferences
        usual = chosen.confirmation is Confirmation.RISKY and chosen.turns_by_buttons < TURNS_BEFORE_OFFER
        if key is ControlKey.END and usual and await self.settings.count_turn_by_buttons(interaction.user.id):
            await Answer.of(interaction).follow_up(at_once_offer(self.command_mentions))

    @handles(CancelTurn)
    @loads_preferences
    async def cancel(self, interaction: Interaction, press: CancelTurn) -> None:
        """Delete the draft and its card."""
        turn = await self._open(interaction, press.match_id, press.step)
        if turn.draft:
            await self.matches.save_draft(turn.game, interaction.user.id, None, before=turn.draft)
        await Answer.of(interaction).delete()

    @handles(TypedTurn)
    @loads_preferences
    async def play_typed(self, interaction: Interaction, press: TypedTurn) -> None:
        """Play the turn typed into the form, or show the draft with the reason why the turn is illegal."""
        turn = await self._open(interaction, press.match_id, press.step)
        try:
            await self.submit(interaction, turn, press.text)
        except TurnError as error:
            note = f"✗ {why_refused(press.text, error)}"
            await self.private_cards.dismiss_turn(interaction, press.match_id)
            await self._show(interaction, turn, note=note)

    async def submit(self, interaction: Interaction, turn: Turn, text: str) -> None:
        """Play a turn; if it is incomplete or the player wants to confirm it, show it first."""
        user, game = interaction.user, turn.game
        check_awaited(game, user.id)
        entry, plays = await asyncio.to_thread(_after_typing, turn, text)
        if plays:
            await self._play(interaction, turn, entry.draft)
            return
        before = await self.matches.draft(game.match, user.id)
        await self.matches.save_draft(game, user.id, entry.draft, before=before)
        note = _("Do you mean this?") if entry.complete else _("This turn is not complete yet.")
        await self._show(interaction, turn, entry, note=note)

    @asynccontextmanager
    async def retiring(self, interaction: Interaction, press: OnBoard | OpenTurn) -> AsyncIterator[None]:
        """Remove the buttons of the pressed card if the board has moved on."""
        try:
            yield
        except (MovedOnError, MatchOverError):
            message = interaction.message
            if message is not None and not message.flags.ephemeral and press.step is not None:
                await Answer.of(interaction).defer()
                card = PostedMessage(message.channel.id, message.id, 0, press.step)
                await self.match_presenter.strip(press.match_id, card)
            raise

    async def _show(
        self,
        interaction: Interaction,
        turn: Turn,
        entry: TurnEntry | None = None,
        *,
        area: int | None = None,
        note: str = "",
    ) -> None:
        """Show the draft or another ``entry`` on a private card, in place of the pressed private card."""
        game = turn.game
        look = private_look(turn.preferences, game, interaction.user.id)

        def card() -> Message:
            shown = entry or TurnEntry.begin(game.position, turn.draft, area=area)
            return turn_card(game, shown, look, note, has_page=self.doors.url is not None)

        await self.private_cards.show(interaction, await asyncio.to_thread(card), game.match, builds_turn=True)

    async def _play(self, interaction: Interaction, turn: Turn, draft: Draft) -> None:
        """Play the turn, show the board, and answer."""
        played = await self.matches.play_and_view(turn.game, draft, player_of(interaction.user))
        await self._show_played(interaction, played)
        if turn.preferences.digest_refused:
            await tell_refusal(interaction, self.reminders, self.command_mentions)

    async def _show_played(self, interaction: Interaction, played: PlayResult) -> None:
        """Show the board, and answer: offer the next match, name the board's channel, or delete the private card."""
        try:
            shown = await self.match_presenter.show_match(played.game.match.id, interaction, view=played.view)
        except NotShownError:
            if on_private_card(interaction):
                await Answer.of(interaction).delete()
            raise
        seen_here = shown is not None and shown.channel_id in (None, interaction.channel_id)
        text = _sentence(played.own, None if shown is None or seen_here else shown.channel_id)
        if played.next_match is not None:
            await self.games.offer_next_match(interaction, played.next_match, text)
            return
        if interaction.message is not None and not on_private_card(interaction):
            return
        await (Answer.of(interaction).delete() if seen_here else Answer.of(interaction).respond(text))

    async def _open(self, interaction: Interaction, match_id: int, seen_step: int | None) -> Turn:
        """The user's turn on the board that they saw, unless it has moved on. Uses their language from now on."""
        turn = await self.matches.turn(match_id, interaction.user.id, seen_step)
        self.languages.speak(interaction, turn.preferences)
        return turn

    async def _was_just_played(self, press: TurnKey) -> bool:
        """Whether the turn on this key's card is already played, as after a double press."""
        last = (await self.matches.game(press.match_id)).turn_after(press.step)
        return last is not None and digest(last) == press.turn_digest


def _after_typing(turn: Turn, text: str) -> tuple[TurnEntry, bool]:
    """A typed turn, and whether to play it: if it is complete, is not an abbreviation, and needs no confirmation."""
    entry = TurnEntry.begin(turn.game.position, text)
    plain = entry.complete and entry.text == tidy(text)
    return entry, plain and not entry.is_asked_about(turn.preferences.confirmation)


def _after_key(turn: Turn, key: Key) -> tuple[TurnEntry, bool]:
    """The turn after a key, and whether to play it."""
    entry = after_key(key, turn.game.position, turn.draft)
    return entry, entry.done and (key is ControlKey.END or entry.goes_at_once(turn.preferences.confirmation))


def turn_card(game: Game, entry: TurnEntry, look: render.Look, note: str = "", *, has_page: bool = False) -> Message:
    """The turn under construction with its effect and the next choices, below a ``note``.

    If the match ``has_page``, a button leads there. Renders pictures: call it in a thread.
    """
    match_id, step = game.match.id, game.step
    view = entry_view(entry, backdrop_of(game), look, partial(TurnKey, match_id, step, digest(entry.text)))
    lines = [
        f"### {play_question(entry) if entry.finished else _('Your turn')}",
        note,
        effect_of(entry, game.position.turn_of),
        view.question,
    ]
    hints = gives_hints(game.match) and not view.back
    return compose(
        "\n".join(filter(None, lines)),
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
            *([page_button(game.match)] if has_page else []),
        ),
        colour=COLOUR,
    )


def at_once_offer(command_mentions: CommandMentions) -> Message:
    return compose(
        _(
            "**Play at once?** A turn that you put together with buttons can be played as soon as it is complete. I "
            "still ask before risky turns."
        ),
        footer=_("{settings} changes it at any time.").format(settings=command_mentions.of("settings")),
        buttons=(
            ActionButton(SetConfirmation(Confirmation.AT_ONCE), _("Play at once"), discord.ButtonStyle.success),
            ActionButton(Close(), _("Keep asking")),
        ),
    )


def _sentence(game: Game, channel_id: int | None) -> str:
    """The confirmation of the last turn to its player, with the channel of the board if it is not here."""
    values = {"turn": as_code(game.turns[-1]), "match": game.match.id}
    match game.events[0]:
        case SideChosen(chosen):
            values["side"] = words.side(game.match.ruleset, chosen)
            here = _("You chose **{side}** in match #{match}.")
            elsewhere = _("You chose **{side}** in match #{match}: {channel}")
        case Passed():
            here, elsewhere = _("You passed in match #{match}."), _("You passed in match #{match}: {channel}")
        case _:
            here, elsewhere = _("Played {turn} in match #{match}."), _("Played {turn} in match #{match}: {channel}")
    if channel_id is None:
        return here.format(**values)
    return elsewhere.format(channel=markdown.channel(channel_id), **values)


def resign_question(game: Game, player_id: int) -> Message:
    """Ask a player whether to resign, with the other ways to end the match."""
    match = game.match
    others = [*draw_buttons(game, player_id)]
    footer = _("Both players have to agree to call a match off.")
    if match.rated:
        footer = _("A match called off does not count; both players have to agree.")
    agrees = opponent_proposes(match, ProposalKind.ABANDON, player_id)
    label = _("Agree to call it off") if agrees else _("Call it off")
    if match.computer is not None:
        footer, label = _("If you call it off, nobody wins."), _("Call it off")
    others.append(ActionButton(Propose(match.id, game.step, ProposalKind.ABANDON), label))
    question, opponent = _("Resign match #{match}? **{opponent}** wins."), words.name(match.opponent_of(player_id))
    return compose(
        question.format(match=match.id, opponent=opponent),
        footer=footer,
        buttons=(
            ActionButton(ConfirmResignation(match.id, game.step), _("Yes, resign"), discord.ButtonStyle.danger),
            *others,
            ActionButton(Close(), _("Keep playing")),
        ),
    )
