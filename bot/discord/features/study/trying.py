"""``/try``: turns that are tried on a private card, from any position of a match, which is not affected."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

import discord
from discord import app_commands

import render
from bot.discord.features.study.hint import HintCommands
from bot.discord.features.turns.builder import TurnBuilder
from bot.discord.interaction.errors import RefusalError, refused, sentence
from bot.discord.interaction.feature import handles, opens_form
from bot.discord.interaction.interactions import (
    LONGEST_CHOICE,
    Choices,
    Interaction,
    Typed,
    choice,
    match_number,
    player_of,
    suggestions,
)
from bot.discord.interaction.options.match import MatchOptions
from bot.discord.interaction.options.turn import offered_turns, refusal
from bot.discord.posting.cards.match import board_picture
from bot.discord.transport import replies
from bot.discord.ui import words
from bot.discord.ui.keypad import (
    AREA,
    Keypad,
    Presses,
    before_last_choice,
    digest,
    part_number,
    pass_key,
    shortened,
    up_to_choice,
)
from bot.discord.ui.links import OpenReplay, hint_button, review_button, rule_button
from bot.discord.ui.messages import LONGEST_FIELD, ActionButton, Form, Message, Press, compose
from bot.discord.ui.scenes import private_look
from bot.discord.ui.turn_entry import COLOUR, board_of, next_choice, told_of
from bot.domain.computer import check_hints, gives_hints
from bot.domain.lines import MOST_TURNS, Line
from bot.domain.matches import Ending, Game, Match, MovedOnError, Result
from bot.domain.refusals import DomainError
from bot.services.history import History
from bot.services.lines import Lines
from bot.services.settings import Settings
from bot.texts import gettext as _
from bot.texts import gettext_noop, ngettext, translations
from rules import PASS, Draft, Phase, TurnError
from rules.notation import tidy

#: The most characters in turns that are typed at once.
LONGEST_TYPED = LONGEST_FIELD
#: The most buttons below a keypad, which leaves room for one row.
_IN_ROW = 5
#: The most tried turns that are told, so that a card is never too long.
_MOST_TOLD = 12


@dataclass
class Trying(MatchOptions):
    lines: Lines
    history: History
    settings: Settings
    turn_builder: TurnBuilder
    hints: HintCommands

    @suggestions
    async def typed_lines(self, interaction: Interaction, typed: str) -> Choices:
        """Completions of the turns typed so far, each with one more turn."""
        after = interaction.namespace.after
        match = await self._find(interaction, match_number(interaction.namespace.match or None))
        start = await self.lines.start(match, _line(match, after if isinstance(after, int) else None))
        return await asyncio.to_thread(_following, start, typed)

    @app_commands.command(
        name="try", description=gettext_noop("Try out turns on a board that only you see; nothing is played")
    )
    @app_commands.describe(
        turns=gettext_noop("Turns separated by spaces, yours and your opponent's"),
        match=gettext_noop("The number of the match, if it is not the one played here"),
        after=gettext_noop("Start after this turn of the match instead of the last one"),
    )
    @app_commands.autocomplete(turns=typed_lines, match=MatchOptions.all_matches)
    async def try_turns(
        self,
        interaction: Interaction,
        turns: app_commands.Range[str, 1, LONGEST_TYPED] | None = None,
        match: Typed | None = None,
        after: app_commands.Range[int, 0, 10_000] | None = None,
    ) -> None:
        found = await self._find(interaction, match_number(match))
        await self._begin(interaction, found, _line(found, after), turns)

    @handles("try", "try-more", "tried")
    async def open(self, interaction: Interaction, press: Press) -> None:
        """Try turns from the position after so many turns of the match.

        The cards and forms of earlier versions bring a line with them.
        """
        match = await self._find(interaction, press.subject)
        typed = press.chosen or press.argument.replace(".", " ")
        await self._begin(interaction, match, _line(match, press.step), typed or None)

    @opens_form("try-type")
    async def open_form(self, interaction: Interaction, press: Press) -> Form:
        return line_form(press.subject, await self._kept(press.subject, interaction.user.id))

    @handles("try-hint", "try-take", "try-pick", "try-add", "try-back", "try-play", "try-typed")
    async def go_on(self, interaction: Interaction, press: Press) -> None:
        """Do what was pressed, chosen or typed on the card of a line."""
        match = await self._find(interaction, press.subject)
        line = await self._kept(match.id, interaction.user.id)
        known, _dot, chosen = press.argument.partition(".")
        if known != digest(line.text):
            await self._show(interaction, match, line, note=_("You have tried something else since. This is it now:"))
            return
        match press.action:
            case "try-pick" if chosen.startswith(AREA):
                await self._show(interaction, match, line, area=part_number(chosen.removeprefix(AREA)))
            case "try-pick":
                await self._pick(interaction, match, line, chosen)
            case "try-hint":
                await self._advise(interaction, match, line)
            case "try-take":
                await self._type(interaction, match, line, chosen)
            case "try-add":
                await self._change(interaction, match, line, line.add(line.begun))
            case "try-back" if chosen:
                await self._show(interaction, match, line)
            case "try-back":
                await self._go_back(interaction, match, line)
            case "try-play":
                await self._play_first(interaction, match, line, press)
            case _:
                await self._type(interaction, match, line, press.chosen or "")

    async def _find(self, interaction: Interaction, number: int | None) -> Match:
        """The match of that number or, without one, the one played here; if the user may see it."""
        return await self.history.find(self.access.viewer_of(interaction), number)

    async def _kept(self, match_id: int, player_id: int) -> Line:
        """The line that the user tries in the match."""
        line = await self.lines.get(match_id, player_id)
        if line is None:
            raise RefusalError(_("I no longer keep what you tried there. Press *Try turns* or *Try from here* again."))
        return line

    async def _begin(self, interaction: Interaction, match: Match, line: Line, typed: str | None) -> None:
        """Begin a line, with the turns that were typed; without any, go on with the one that the user tried there."""
        user, note, error = player_of(interaction.user), "", None
        if typed is not None:
            line, note, error = await self._extended(match, line, typed)
        line = await self.lines.begin(match.id, user, line, anew=typed is not None)
        await self._show(interaction, match, line, note=note, error=error)

    async def _type(self, interaction: Interaction, match: Match, line: Line, typed: str) -> None:
        extended, note, error = await self._extended(match, line.begin(""), typed)
        if error is not None and extended.turns == line.turns:
            extended = line
        await self._change(interaction, match, line, extended, note=note, error=error)

    async def _extended(self, match: Match, line: Line, typed: str) -> tuple[Line, str, TurnError | None]:
        """The line with what can be played of the turns that were typed; and why the next one is refused, if one is."""
        wanted = tidy(typed).split()
        if len(line.turns) + len(wanted) > MOST_TURNS:
            raise RefusalError(_("That is a lot: a line has at most {count} turns.").format(count=MOST_TURNS))
        start = await self.lines.start(match, line)

        def extend() -> tuple[Line, str, TurnError | None]:
            tried, error = _tried(start, (*line.turns, *wanted))
            extended = replace(line, turns=tried[-1].turns[start.ply :])
            if error is None:
                return extended, "", None
            refused_one = (*line.turns, *wanted)[len(tried) - 1]
            if len(tried) == len(line.turns) + len(wanted):
                with suppress(TurnError):  # the last turn may go on
                    return extended.begin(tried[-1].position.draft(refused_one).text), "", None
            return extended, f"✗ {refused(refused_one, error)}", error

        return await asyncio.to_thread(extend)

    async def _pick(self, interaction: Interaction, match: Match, line: Line, chosen: str) -> None:
        start = await self.lines.start(match, line)

        def choose() -> Draft:
            return up_to_choice(_tried(start, line.turns)[0][-1].position, line.begun + chosen)

        draft = await asyncio.to_thread(choose)
        whole = draft.complete and not draft.steps
        await self._change(interaction, match, line, line.add(draft.text) if whole else line.begin(draft.text))

    async def _advise(self, interaction: Interaction, match: Match, line: Line) -> None:
        """Show what the computer would do at the end of the line."""
        check_hints(match)
        start = await self.lines.start(match, line)
        tried, _error = await asyncio.to_thread(_tried, start, line.turns)
        presses = Presses(match.id, line.step, digest(line.text), trying=True)
        asked, back = presses.of("hint"), ActionButton(presses.of("back", "line"), _("Back"))
        await self.hints.show(interaction, tried[-1], asked, _("Try it"), partial(presses.of, "take"), back)

    async def _go_back(self, interaction: Interaction, match: Match, line: Line) -> None:
        """Go back to the last step that had an alternative, or by a turn."""
        if not line.begun:
            await self._change(interaction, match, line, line.take_back())
            return
        start = await self.lines.start(match, line)

        def shorten() -> tuple[Draft, int | None]:
            return before_last_choice(_tried(start, line.turns)[0][-1].position, line.begun)

        fewer, area = await asyncio.to_thread(shorten)
        await self._change(interaction, match, line, line.begin(fewer.text), area=area)

    async def _play_first(self, interaction: Interaction, match: Match, line: Line, press: Press) -> None:
        """Play the line's first turn in the match, as if the user had typed it."""
        first = line.turns[0]
        try:
            game = await self.matches.awaiting_game(match.id, interaction.user.id, line.step)
            if line.ply != game.ply:
                raise MovedOnError
            await self.turn_builder.submit(interaction, game, first)
        except DomainError as error:
            if await self.turn_builder.was_just_played(press, digest(first)):
                await replies.finish(interaction)
            else:
                match = await self._find(interaction, match.id)
                await self._show(interaction, match, line, note=sentence(error) or "")

    async def _change(
        self,
        interaction: Interaction,
        match: Match,
        before: Line,
        line: Line,
        *,
        area: int | None = None,
        note: str = "",
        error: TurnError | None = None,
    ) -> None:
        """Keep the line and show it; or the one of another press, if that was faster."""
        if await self.lines.change(match.id, interaction.user.id, line, before=before):
            await self._show(interaction, match, line, area=area, note=note, error=error)
        else:
            await self._show(interaction, match, await self.lines.get(match.id, interaction.user.id) or line)

    async def _show(
        self,
        interaction: Interaction,
        match: Match,
        line: Line,
        *,
        area: int | None = None,
        note: str = "",
        error: TurnError | None = None,
    ) -> None:
        """Show the line on the private card, which replaces the one where something was pressed."""
        user = interaction.user
        start = await self.lines.start(match, line)
        look = private_look(await self.settings.preferences(user.id), start, user.id)
        here = match.result is None and not match.waiting and line.begins_as(_line(match))
        playable = here and start.to_act is not None and start.to_act.id == user.id
        rule = None if error is None else error.rule

        def card() -> Message:
            tried, _error = _tried(start, line.turns)
            return line_card(
                line,
                tried,
                look,
                playable=playable,
                area=area,
                note=note,
                rule=rule,
                hints=gives_hints(match),
                over=match.result is not None,
            )

        await replies.show(interaction, await asyncio.to_thread(card))


def _line(match: Match, ply: int | None = None) -> Line:
    """A line without turns, from the match's position after so many turns, or from the current one."""
    return Line(match.step, match.ply if ply is None else min(ply, match.ply))


def _tried(start: Game, turns: Sequence[str]) -> tuple[list[Game], TurnError | None]:
    """The games after none, one and more of the turns, until one is refused, and the refusal."""
    tried = [start]
    for turn in turns:
        game = tried[-1]
        try:
            played = game.position.parse(turn)
            position, events = game.position.play(played)
        except TurnError as error:
            return tried, error
        tried.append(replace(game, turns=(*game.turns, played), position=position, events=events))
    return tried, None


def _following(start: Game, typed: str) -> Choices:
    *before, begun = tidy(typed).split() if typed.strip() and not typed.endswith(" ") else [*tidy(typed).split(), ""]
    tried, error = _tried(start, before)
    if error is not None:
        return [refusal(error.translate(translations()), typed)]
    line = "".join(f"{turn} " for turn in tried[-1].turns[start.ply :])
    offered = offered_turns(tried[-1], begun)
    return [
        refusal(each.name.removeprefix("✗ "), typed)
        if each.name.startswith("✗")
        else choice(f"{line}{each.name}", f"{line}{each.value}")
        for each in offered
        if len(line) + len(each.value) <= LONGEST_CHOICE
    ]


def line_card(
    line: Line,
    tried: Sequence[Game],
    look: render.Look,
    *,
    playable: bool = False,
    area: int | None = None,
    note: str = "",
    rule: str | None = None,
    hints: bool = False,
    over: bool = False,
) -> Message:
    """A board on which somebody tries a line, from the first of these games to the last. This draws.

    The buttons are those of a turn. If the line's first turn is ``playable``, the match waits for the viewer where the
    line begins. ``note`` is said below the turns, ``rule`` is the section of the rules by which one was refused, and
    ``area`` the part of the board to choose in. With ``hints`` one can be asked for, and if the match is ``over``, its
    review.
    """
    game = tried[-1]
    presses = Presses(game.match.id, line.step, digest(line.text), trying=True)
    told = [_("### 🧪 Trying out turns · match #{match}").format(match=game.match.id), _turns(tried), note]
    keypad: Keypad = ()
    if game.outcome is not None or line.full:
        told.append(_ended(game) if game.outcome is not None else _full())
        picture = board_picture(game, look)
        buttons = tuple(_buttons(game, line, None, presses, None, playable=playable, rule=rule, hints=False, over=over))
    else:
        draft = game.position.draft(line.begun)
        choice = next_choice(board_of(game), draft, look, presses.pick, area)
        told += [told_of(game.position, draft), " ".join([_to_play(game), choice.question])]
        picture, keypad = choice.picture, choice.keypad
        offered = _buttons(
            game, line, draft, presses, choice.area, playable=playable, rule=rule, hints=hints, over=over
        )
        buttons = tuple(offered)[:_IN_ROW]
    return compose(
        "\n".join(filter(None, told)),
        picture=picture,
        footer=_("Only you can see this; the match stays as it is."),
        keypad=keypad,
        buttons=buttons,
        colour=COLOUR,
    )


def _buttons(
    game: Game,
    line: Line,
    draft: Draft | None,
    presses: Presses,
    area: int | None,
    *,
    playable: bool,
    rule: str | None,
    hints: bool,
    over: bool,
) -> Iterator[ActionButton]:
    """The buttons, the most important ones first."""
    if draft is not None and draft.text and draft.complete:
        name = words.named(game.position.turn_name(draft.text))
        yield ActionButton(presses.of("add"), shortened(_("Try only {turn}").format(turn=name)))
    if draft is not None and PASS in draft.steps and area is None:
        yield pass_key(game.position, draft, presses.pick)
    if line.turns or line.begun or area is not None:
        yield ActionButton(presses.of("back", "" if area is None else str(area)), _("Back"))
    if playable and line.turns and not line.begun:
        yield ActionButton(presses.of("play"), _("Play the first turn"), discord.ButtonStyle.success)
    if draft is not None:
        yield ActionButton(presses.of("type"), _("Type it"))
    if hints and not line.begun:
        yield hint_button(presses.of("hint"))
    if rule is not None:
        yield rule_button(rule)
    elif not line.begun:
        yield ActionButton(OpenReplay(game.match.id, line.ply), _("Replay"), emoji="🎞️")
    if over and not line.begun:
        yield review_button(game.match, line.ply + 1)


def _turns(tried: Sequence[Game]) -> str:
    """What each turn of the line did; before any, the last turn of the match."""
    start, *after = tried
    told = [words.last_turn(game) for game in after] or [words.last_turn(start) or _("Before the opening.")]
    if len(told) > _MOST_TOLD:
        count = len(told) - _MOST_TOLD
        told[:count] = [ngettext("… {count} earlier turn", "… {count} earlier turns", count).format(count=count)]
    return "\n".join(told)


def _to_play(game: Game) -> str:
    """Who plays next."""
    awaited = game.to_act
    assert awaited is not None
    if game.position.phase is not Phase.PLAY:
        return _("{player} to play.").format(player=words.name(awaited))
    side = words.side(game.match.ruleset, game.position.turn_of)
    return _("{player} ({side}) to play.").format(**words.acting(awaited, side))


def _full() -> str:
    return _("A line has at most {count} turns. Press *Back* to try others.").format(count=MOST_TURNS)


def _ended(game: Game) -> str:
    """How the rules end the game here."""
    outcome = game.outcome
    assert outcome is not None
    winner = None if outcome.winner is None else game.player_of(outcome.winner).id
    result = Result(winner, Ending.RULES)
    return f"{words.result_sign(result)} {words.ended(replace(game, match=replace(game.match, result=result)))}"


def line_form(match_id: int, line: Line) -> Form:
    """The form in which the next turns of a line are typed, with what has been put together of the first."""
    field: discord.ui.TextInput[discord.ui.Modal] = discord.ui.TextInput(
        custom_id="turns", default=line.begun[:LONGEST_TYPED] or None, max_length=LONGEST_TYPED
    )
    label: discord.ui.Label[discord.ui.Modal] = discord.ui.Label(
        text=_("Turns"),
        description=_("Separated by spaces, yours and your opponent's"),
        component=field,
    )
    title = _("Match #{match}: trying out turns").format(match=match_id)
    return Form(Press("try-typed", match_id, line.step, digest(line.text)), title, label)
