"""``/try``: trying turns on a private card from any position of a match, without an effect on the match."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated

import discord
from discord import app_commands

import render
from bot.discord.features.study.hint import HintButtons
from bot.discord.features.study.plan import PlanButtons
from bot.discord.features.study.replay import ReplayCommands, shown_by
from bot.discord.features.turns.move import MoveCommands
from bot.discord.interaction.errors import RefusalError, sentence, why_refused
from bot.discord.interaction.feature import handles, opens_form
from bot.discord.interaction.interactions import (
    LONGEST_CHOICE,
    Choices,
    Interaction,
    noted_choice,
    player_of,
    refused_choice,
    suggestions,
    without_notes,
)
from bot.discord.interaction.languages import Languages
from bot.discord.interaction.options.match import AnyMatch, MatchFeature, other_match
from bot.discord.interaction.options.turn import offered_turns
from bot.discord.posting.cards.match import board_picture, heading
from bot.discord.transport.answers import Answer
from bot.discord.ui.actions import AboutMatch, OpenReplay, TryTurns, hint_button, review_button, rule_button
from bot.discord.ui.keypad import ControlKey, Key, after_key, back_key
from bot.discord.ui.markdown import CommandMentions
from bot.discord.ui.messages import MOST_IN_ROW, ActionButton, Form, Message, compose, text_field
from bot.discord.ui.presses import LONGEST_FIELD, OutdatedPressError, user_input
from bot.discord.ui.turn_entry import COLOUR, EntryView, backdrop_of, entry_view
from bot.domain.computer import check_hints, gives_hints
from bot.domain.matches import Game, Match, MovedOnError
from bot.domain.plans import branch_of
from bot.domain.players import Player
from bot.domain.refusals import DomainError
from bot.domain.study.lines import MOST_TURNS, Line, games_along
from bot.domain.study.reviews import can_review
from bot.domain.turn_entry import TurnEntry, digest
from bot.pictures import private_look
from bot.services.history import History
from bot.services.study.lines import Lines
from bot.texts import gettext as _, gettext_noop, translations
from bot.wording import words
from bot.wording.lines import ending_of, line_is_full
from bot.wording.sentence import Sentence
from bot.wording.turns import effect_of
from rules import TurnError
from rules.notation import tidy

#: Maximum number of characters in turns typed at once.
LONGEST_TYPED = LONGEST_FIELD


class LinePress(AboutMatch):
    """A press on the card of the line with the digest ``line_digest``."""

    line_digest: str


class LineKey(LinePress, action="try-key"):
    key: Key


class AskLineHint(LinePress, action="try-hint"):
    pass


class TryHintedTurn(LinePress, action="try-take"):
    turn: str


class PlayFirst(LinePress, action="try-play"):
    pass


class PlanLine(LinePress, action="try-plan"):
    """Add the answers in the line to the user's plan."""


class ShareLine(LinePress, action="try-share"):
    """Post the line for everybody."""


class TryLine(AboutMatch, action="try-line"):
    """Go on with a posted line."""

    step: int
    ply: int
    turns: tuple[str, ...]


class TryStoredLine(AboutMatch, action="try-shared"):
    """Go on with a posted line by its name, because the line is too long for the id of a button."""

    name: Annotated[str, 32]


class TypeLine(AboutMatch, action="try-type"):
    pass


class TypedLine(LinePress, action="try-typed"):
    turns: str = user_input()


@dataclass(frozen=True, slots=True)
class Trial:
    """A line tried in a match, with the chosen area, a note, and the section of the rules that refused a turn."""

    match: Match
    line: Line
    area: int | None = None
    note: str = ""
    rule: str | None = None

    @property
    def line_digest(self) -> str:
        return digest(self.line.text)


@dataclass
class TryCommand(MatchFeature):
    lines: Lines
    history: History
    moves: MoveCommands
    hints: HintButtons
    plan: PlanButtons
    replays: ReplayCommands
    languages: Languages
    command_mentions: CommandMentions

    @suggestions
    async def typed_lines(self, interaction: Interaction, typed: str) -> Choices:
        """Suggest ways to continue the typed turns."""
        after = interaction.namespace.after
        match = await self._find(interaction, other_match(interaction))
        start = await self.lines.start(match, Line.of(match, after if isinstance(after, int) else None))
        return await asyncio.to_thread(_completions, start, typed)

    @app_commands.command(
        name="try", description=gettext_noop("Try out turns on a board that only you see; nothing is played")
    )
    @app_commands.describe(
        turns=gettext_noop("Turns separated by spaces, yours and your opponent's"),
        match=gettext_noop("The number of the match, unless it is the one here"),
        after=gettext_noop("Start after this turn of the match instead of the last one"),
    )
    @app_commands.autocomplete(turns=typed_lines)
    async def try_turns(
        self,
        interaction: Interaction,
        turns: app_commands.Range[str, 1, LONGEST_TYPED] | None = None,
        match: AnyMatch | None = None,
        after: app_commands.Range[int, 0, 10_000] | None = None,
    ) -> None:
        await self._begin(interaction, match, after, turns and without_notes(turns))

    @handles(TryTurns)
    async def open(self, interaction: Interaction, press: TryTurns) -> None:
        await self._begin(interaction, press.match_id, press.ply)

    @handles(TryLine)
    async def go_on_with_shared(self, interaction: Interaction, press: TryLine) -> None:
        await self._go_on_with(interaction, press.match_id, Line(press.step, press.ply, press.turns))

    @handles(TryStoredLine)
    async def go_on_with_stored(self, interaction: Interaction, press: TryStoredLine) -> None:
        shared = await self.lines.shared_line(press.match_id, press.name)
        if shared is None:
            raise OutdatedPressError
        await self._go_on_with(interaction, press.match_id, shared)

    async def _go_on_with(self, interaction: Interaction, match_id: int, shared: Line) -> None:
        match = await self._find(interaction, match_id)
        line = Line(min(shared.step, match.step), shared.ply)
        trial = await self._extend(Trial(match, line), " ".join(shared.turns))
        await self.lines.begin(match.id, player_of(interaction.user), trial.line, restart=True)
        await self._show(interaction, trial)

    @opens_form(TypeLine)
    async def open_form(self, interaction: Interaction, press: TypeLine) -> Form:
        return line_form(press.match_id, await self._stored_line(press.match_id, interaction.user.id))

    @handles(LineKey, AskLineHint, TryHintedTurn, PlayFirst, PlanLine, ShareLine, TypedLine)
    async def go_on(self, interaction: Interaction, press: LinePress) -> None:
        match = await self._find(interaction, press.match_id)
        trial = Trial(match, await self._stored_line(match.id, interaction.user.id))
        if press.line_digest != trial.line_digest:
            note = _("You have tried something else since. Here it is:")
            await self._show(interaction, replace(trial, note=note))
            return
        match press:
            case LineKey(key=key):
                await self._press_key(interaction, trial, key)
            case AskLineHint():
                await self._advise(interaction, trial)
            case TryHintedTurn(turn=typed) | TypedLine(turns=typed):
                await self._type(interaction, trial, typed)
            case PlayFirst() if trial.line.turns:
                await self._play_first(interaction, trial)
            case ShareLine() if trial.line.turns:
                await self._share(interaction, trial)
            case PlanLine():
                await self.plan.add(interaction, match, trial.line)
            case _:
                await self._show(interaction, trial)

    async def _find(self, interaction: Interaction, number: int | None) -> Match:
        """A match that the user may see, by default the match played here."""
        return await self.history.find(self.access.viewer_of(interaction), number)

    async def _stored_line(self, match_id: int, player_id: int) -> Line:
        line = await self.lines.get(match_id, player_id)
        if line is None:
            raise RefusalError(_("I no longer keep what you tried there. Press *Try turns* or *Try from here* again."))
        return line

    async def _begin(
        self, interaction: Interaction, number: int | None, ply: int | None, typed: str | None = None
    ) -> None:
        """Begin a line with the typed turns; without any, continue the user's line from the same position."""
        match = await self._find(interaction, number)
        trial = Trial(match, Line.of(match, ply))
        if typed is not None:
            trial = await self._extend(trial, typed)
        line = await self.lines.begin(match.id, player_of(interaction.user), trial.line, restart=typed is not None)
        await self._show(interaction, replace(trial, line=line))

    async def _type(self, interaction: Interaction, trial: Trial, typed: str) -> None:
        after = await self._extend(replace(trial, line=trial.line.begin("")), typed)
        if after.rule is not None and after.line.turns == trial.line.turns:
            after = replace(after, line=trial.line)
        await self._change(interaction, trial, after)

    async def _extend(self, trial: Trial, typed: str) -> Trial:
        """Add the typed turns up to the first illegal turn, with a note why that is refused."""
        line, wanted = trial.line, tidy(typed).split()
        if len(line.turns) + len(wanted) > MOST_TURNS:
            raise RefusalError(_("That is too long: a line has at most {count} turns.").format(count=MOST_TURNS))
        start = await self.lines.start(trial.match, line)

        def extend() -> Trial:
            tried, error = games_along(start, (*line.turns, *wanted))
            extended = replace(line, turns=tried[-1].turns[start.ply :])
            if error is None:
                return replace(trial, line=extended)
            illegal = (*line.turns, *wanted)[len(tried) - 1]
            if len(tried) == len(line.turns) + len(wanted):
                with suppress(TurnError):  # the last turn may be the beginning of a legal turn
                    return replace(trial, line=extended.begin(tried[-1].position.draft(illegal).text))
            return replace(trial, line=extended, note=f"✗ {why_refused(illegal, error)}", rule=error.rule)

        return await asyncio.to_thread(extend)

    async def _press_key(self, interaction: Interaction, trial: Trial, key: Key) -> None:
        line = trial.line
        if key is ControlKey.BACK and not line.begun:
            await self._change(interaction, trial, replace(trial, line=line.take_back()))
            return
        start = await self.lines.start(trial.match, line)
        entry = await asyncio.to_thread(
            lambda: after_key(key, games_along(start, line.turns)[0][-1].position, line.begun)
        )
        line = (line.add if entry.done else line.begin)(entry.text)
        await self._change(interaction, trial, replace(trial, line=line, area=entry.area))

    async def _advise(self, interaction: Interaction, trial: Trial) -> None:
        check_hints(trial.match)
        start = await self.lines.start(trial.match, trial.line)
        tried, _error = await asyncio.to_thread(games_along, start, trial.line.turns)
        here = trial.match.id, trial.line_digest
        ask, take, back = (
            AskLineHint(*here),
            partial(TryHintedTurn, *here),
            back_key(partial(LineKey, *here), ControlKey.CLOSE),
        )
        await self.hints.show(interaction, tried[-1], ask, _("Try it"), take, back)

    async def _share(self, interaction: Interaction, trial: Trial) -> None:
        """Post the line in the channel once, with a button to continue it."""
        assert interaction.message is not None
        start = await self.lines.start(trial.match, trial.line)
        player = player_of(interaction.user)
        if isinstance(_press_of(trial.match.id, trial.line), TryStoredLine):
            await self.lines.share(trial.match.id, trial.line)

        async def card(look: render.Look) -> Message:
            return await asyncio.to_thread(
                lambda: shared_line(
                    trial.line, games_along(start, trial.line.turns)[0], look, player, self.command_mentions
                )
            )

        nonce = f"l{interaction.message.id:x}{trial.line_digest[:7]}"
        new = not self.replays.messenger.has_shared(nonce) and await self.replays.post(interaction, card, nonce)
        note = _("📣 Everybody here can see this line now.") if new else _("It has already been shared here.")
        await self._show(interaction, replace(trial, note=note))

    async def _play_first(self, interaction: Interaction, trial: Trial) -> None:
        """Play the first turn of the line in the match, as if the user had typed it."""
        match_id, line, first = trial.match.id, trial.line, trial.line.turns[0]
        try:
            turn = await self.matches.turn(match_id, interaction.user.id, line.step)
            if line.ply != turn.game.ply:
                raise MovedOnError
            await self.moves.submit(interaction, turn, first)
        except DomainError as error:
            if await self.matches.was_just_played(match_id, line.step, first):
                await Answer.of(interaction).delete()
            else:
                match = await self._find(interaction, match_id)
                await self._show(interaction, Trial(match, line, note=sentence(error, self.command_mentions) or ""))

    async def _change(self, interaction: Interaction, before: Trial, after: Trial) -> None:
        """Store and show the line; if another press was faster, show that press's line."""
        match_id, user_id = after.match.id, interaction.user.id
        changed = before.line != after.line
        if changed and not await self.lines.change(match_id, user_id, after.line, before=before.line):
            after = Trial(after.match, await self.lines.get(match_id, user_id) or after.line)
        await self._show(interaction, after)

    async def _show(self, interaction: Interaction, trial: Trial) -> None:
        match, line = trial.match, trial.line
        start = await self.lines.start(match, line)
        look = private_look(await self.languages.load(interaction), start, interaction.user.id)
        here = match.result is None and not match.waiting and line.begins_as(Line.of(match))
        user_id = interaction.user.id
        playable = here and start.to_act is not None and start.to_act.id == user_id

        def card() -> Message:
            tried = games_along(start, line.turns)[0]
            plannable = here and match.has_player(user_id) and bool(branch_of(tried, user_id))
            return line_card(trial, tried, look, playable=playable, plannable=plannable)

        await Answer.of(interaction).respond(await asyncio.to_thread(card))


def _completions(start: Game, typed: str) -> Choices:
    *before, begun = tidy(typed).split() if typed.strip() and not typed.endswith(" ") else [*tidy(typed).split(), ""]
    tried, error = games_along(start, before)
    if error is not None:
        return [refused_choice(error.translate(translations()), typed)]
    line = "".join(f"{turn} " for turn in tried[-1].turns[start.ply :])
    offered = offered_turns(tried[-1], begun)
    return [
        refused_choice(turn.name.removeprefix("✗ "), typed)
        if turn.name.startswith("✗")
        else noted_choice(f"{line}{turn.value}", turn.name.removeprefix(turn.value).removeprefix(" · "))
        for turn in offered
        if len(line) + len(turn.value) <= LONGEST_CHOICE
    ]


def line_card(
    trial: Trial, tried: Sequence[Game], look: render.Look, *, playable: bool = False, plannable: bool = False
) -> Message:
    """The board after the turns of a line, which lead through the games ``tried``, with buttons for the next turn.

    The first turn is ``playable`` if the line begins with the current position and it is the viewer's turn. The line is
    ``plannable`` if it contains the viewer's answer to a turn of the opponent. Renders pictures: call it in a thread.
    """
    game, line = tried[-1], trial.line
    heading = _("### 🧪 Trying out turns · match #{match}").format(match=game.match.id)
    lines, view = [heading, _turn_sentences(tried), trial.note], None
    if game.outcome is not None:
        lines.append(ending_of(game))
    elif line.full:
        lines.append(line_is_full())
    else:
        entry = TurnEntry.begin(game.position, line.begun, area=trial.area)
        key_press = partial(LineKey, game.match.id, trial.line_digest)
        view = entry_view(entry, backdrop_of(game), look, key_press, only=_("Try only {turn}"), mover=game.to_act)
        lines += [effect_of(entry), view.question]
    first = words.translate(tried[0].position.turn_name(line.turns[0])) if playable and line.turns else ""
    return compose(
        "\n".join(filter(None, lines)),
        picture=board_picture(game, look, tried=True) if view is None else view.picture,
        footer=_("Only you can see this; the match stays as it is."),
        keypad=() if view is None else view.keypad,
        buttons=tuple(_buttons(trial, view, first=first, plannable=plannable))[:MOST_IN_ROW],
        colour=COLOUR,
    )


def _buttons(trial: Trial, view: EntryView | None, *, first: str, plannable: bool) -> Iterator[ActionButton]:
    """Yield the buttons, the most important first. Without a ``view``, no turn can follow.

    ``first`` is the name of the first turn, if it can be played in the match.
    """
    match, line, here = trial.match, trial.line, (trial.match.id, trial.line_digest)
    if view is not None:
        yield from (*view.end, *view.pass_, *view.back)
    if line.turns and not (view is not None and view.back):
        yield back_key(partial(LineKey, *here), ControlKey.BACK)
    if first and not line.begun:
        yield ActionButton(PlayFirst(*here), _("Use {turn}").format(turn=first), discord.ButtonStyle.success)
    if plannable and not line.begun:
        yield ActionButton(PlanLine(*here), _("Plan this"), emoji="📌")
    if view is not None:
        yield ActionButton(TypeLine(match.id), _("Type it"))
        if line.turns and not line.begun:
            yield ActionButton(ShareLine(*here), _("Share"), emoji="📣")
        if gives_hints(match) and not line.begun:
            yield hint_button(AskLineHint(*here))
    if trial.rule is not None:
        yield rule_button(trial.rule)
    elif not line.begun:
        yield ActionButton(OpenReplay(match.id, line.ply), _("Replay"), emoji="🎞️")
    if match.result is not None and not line.begun and can_review(match.ruleset, match.ply):
        yield review_button(match, line.ply + 1)


def shared_line(
    line: Line, tried: Sequence[Game], look: render.Look, by: Player, command_mentions: CommandMentions
) -> Message:
    """The line for everybody. Renders pictures: call it in a thread."""
    game = tried[-1]
    ending = "" if game.outcome is None else ending_of(game)
    return compose(
        heading(game, "🧪"),
        "\n".join(filter(None, [_("Turns tried but not played:"), _turn_sentences(tried), ending])),
        picture=board_picture(game, look, shared=True),
        footer=shown_by(game, by, command_mentions),
        # Others cannot open an imported record.
        buttons=()
        if game.match.imported
        else (ActionButton(_press_of(game.match.id, line), _("Try from here"), emoji="🧪"),),
    )


def _press_of(match_id: int, line: Line) -> TryLine | TryStoredLine:
    """The press to go on with a shared line."""
    whole = TryLine(match_id, line.step, line.ply, line.turns)
    return whole if whole.fits else TryStoredLine(match_id, line.name)


def _turn_sentences(tried: Sequence[Game]) -> str:
    """The turns of the line with their effects; without any, the last turn of the match."""
    start, *after = tried
    turns = [*map(words.last_turn, after)] or [words.last_turn(start) or Sentence(_("Before the first turn."))]
    return "\n".join(words.latest(turns))


def line_form(match_id: int, line: Line) -> Form:
    """The form to type the next turns of a line, filled in with the unfinished turn."""
    description = _("Separated by spaces, yours and your opponent's")
    field = text_field("turns", _("Turns"), description, line.begun, LONGEST_TYPED)
    title = _("Match #{match}: trying out turns").format(match=match_id)
    return Form(TypedLine(match_id, digest(line.text)), title, field)
