"""The page of a match: what a reader sees of it, and what they can do now."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from markupsafe import Markup

import render
from bot.domain.clocks import DAY, ClockView
from bot.domain.computer import gives_hints, offered_levels
from bot.domain.matches import Game
from bot.domain.proposals import ProposalKind
from bot.domain.turn_entry import TurnEntry
from bot.services.clocks import bank_seconds
from bot.texts import gettext as _
from bot.texts.durations import span, time_control
from bot.web import boards
from bot.web.boards import Sheet
from bot.web.markup import html
from bot.web.pictures import Shot
from bot.web.visitors import Visitor
from bot.wording import clocks, words
from bot.wording.looks import conclusion_of, header_of, overlay_titles, private_look
from bot.wording.proposals import request_of
from bot.wording.ratings import result
from bot.wording.turns import effect_of, play_question, question_of
from rules import PASS, Phase, Side, TurnError, bits, steps_of

#: Presses that are no steps; no step begins with the first characters.
CELL, END, BACK = "@", ".end", ".back"
#: The marks of steps that act on a cell, which the bar offers by name.
_ACTS = "+*"
#: The most acts that the bar offers besides the cells.
_MOST_ACTS = 8
#: The themes for dark and for light pages of readers who have chosen none.
_DARK, _LIGHT = "dark", "light"
NOTHING = Markup()


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell as a button, or as a link to ``address``: its name, its ``label`` for the ear, and its neighbours."""

    name: str
    label: str
    beside: str
    open: bool
    chosen: bool
    address: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """A button of the bar, and the press that it stands for."""

    press: str
    label: str
    main: bool = False


@dataclass(frozen=True, slots=True)
class Bar:
    """What there is to do now; ``told`` is what the turn would do."""

    text: Markup
    told: Markup = NOTHING
    choices: tuple[Choice, ...] = ()
    risky: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """An open proposal, and whether the reader made it or may answer it."""

    id: int
    text: Markup
    own: bool
    mine_to_answer: bool


@dataclass(frozen=True, slots=True)
class TurnLink:
    """A turn in the list of turns."""

    ply: int
    text: str
    side: str
    now: bool


@dataclass(frozen=True, slots=True)
class Time:
    """The time of a player, and the seconds until it is up, if it is running."""

    player: str
    left: str
    days_off: str
    seconds: int | None


@dataclass(frozen=True, slots=True)
class Request:
    """What a reader has asked for: a match, a window, a cell with several steps, or marks.

    ``note`` is the answer to a press. If the rules have refused a cell, that is ``refused``, and ``refusal`` says why.
    """

    key: str
    near: str = ""
    cell: str = ""
    marks: str = ""
    on: str = ""
    note: Markup = NOTHING
    refused: str = ""
    refusal: Markup = NOTHING


@dataclass(frozen=True)
class MatchPage:
    """The page of a match, for one reader.

    ``game`` is the position that is shown, ``now`` the current one, and ``draft`` the turn that the reader has begun.
    A running match may have a ``clock``; ``suggested`` is the level that suits a reader who plays the computer.
    ``waiting`` is the number of matches that wait for the reader; the one with ``next_key`` has waited longest.
    """

    request: Request
    visitor: Visitor
    now: Game
    game: Game
    draft: str = ""
    next_key: str = ""
    waiting: int = 0
    rematch_key: str = ""
    clock: ClockView | None = None
    suggested: int | None = None

    @property
    def plays(self) -> bool:
        """Whether the reader plays this match."""
        return self.visitor.player_id is not None and self.now.match.has_player(self.visitor.player_id)

    @property
    def side(self) -> Side | None:
        return None if self.visitor.player_id is None or not self.plays else self.now.side_of(self.visitor.player_id)

    @property
    def is_to_act(self) -> bool:
        """Whether the page waits for the reader, and shows the current position without marks."""
        awaited = self.now.to_act
        waits = awaited is not None and awaited.id == self.visitor.player_id and not self.now.match.waiting
        return waits and self.is_current and self.overlay is None

    @cached_property
    def entry(self) -> TurnEntry | None:
        """The turn that the reader puts together, from its beginning if the stored one is not legal."""
        if not self.is_to_act:
            return None
        try:
            return TurnEntry.begin(self.now.position, self.draft)
        except TurnError:
            return TurnEntry.begin(self.now.position)

    @property
    def overlay(self) -> render.Overlay[Any] | None:
        """The marks that the reader wants to see."""
        return render.overlays_of(self.now.match.ruleset.game).get(self.request.marks)

    def at(self, **asked: object) -> str:
        """The address of this view with something else asked for; an empty value asks for it no more."""
        now = self.request
        seen = {
            "ply": None if self.is_current else self.game.ply,
            "near": now.near,
            "marks": now.marks,
            "on": now.on,
            **asked,
        }
        told = {name: value for name, value in seen.items() if value not in (None, "")}
        return f"/m/{now.key}{'?' if told else ''}{urlencode(told)}"

    # The board

    @cached_property
    def look(self) -> render.Look:
        """The look of the picture, in a dark theme unless the reader has chosen one."""
        player_id = self.visitor.player_id if self.plays else None
        return private_look(self.visitor.preferences, self.now, player_id)

    @cached_property
    def sheet(self) -> Sheet:
        near = self.request.near
        around = self.now.position.board.find(near) if near else None
        return Sheet(self.now.match.ruleset.size, self.look.orientation, around)

    def shot(self, theme: str) -> Shot:
        match, look, asked = self.now.match, self.look, self.request
        return Shot(
            step=match.step,
            over=match.result is not None,
            language=self.visitor.language,
            theme=theme,
            orientation=look.orientation,
            coordinates=look.coordinates,
            ply=None if self.is_current else self.game.ply,
            draft="" if self.entry is None else self.entry.text,
            near=asked.near,
            marks=asked.marks,
            on=asked.on,
            outside=not self.plays,
        )

    @property
    def pictures(self) -> tuple[str, str]:
        """The addresses of the picture for dark and for light pages."""
        chosen = self.visitor.preferences.theme
        themes = (chosen, chosen) if chosen else (_DARK, _LIGHT)
        dark, light = (f"/m/{self.request.key}/board.png?{self.shot(theme).query}" for theme in themes)
        return dark, light

    @property
    def description(self) -> str:
        entry, game = self.entry, self.game
        if entry is not None and entry.draft.acts:
            draft = entry.draft
            return render.describe(draft.preview, draft.events, None, self.look, header_of(game), game.position)
        return render.describe(game.position, game.events, conclusion_of(game), self.look, header_of(game))

    @cached_property
    def source(self) -> TurnEntry | None:
        """The turn that presses on cells go on with: once it is finished, the one before its last choice."""
        entry = self.entry
        return entry.back()[0] if entry is not None and entry.finished and entry.text else entry

    @cached_property
    def cells(self) -> list[Cell]:
        """The cells of the picture as buttons or links; none where there is nothing to choose."""
        if self.overlay is not None:
            return self._cells_to_mark() if self.overlay.of_cell else []
        source, entry = self.source, self.entry
        if source is None or entry is None or source.position.phase is Phase.CHOICE:
            return []
        position, geometry = source.position, self.sheet.geometry
        steps = _cells_of(source)
        chosen = {position.step_cell(step) for step in steps_of(entry.text)}
        told = {True: _("can be chosen"), False: ""}
        return [
            Cell(
                position.board.name(cell),
                boards.label(position, cell, _("chosen") if cell in chosen else told[cell in steps]),
                boards.neighbours(geometry, cell),
                cell in steps,
                cell in chosen,
            )
            for cell in geometry.cells
        ]

    @property
    def bubble(self) -> str:
        """The classes of the bubble at the cell that was refused, so that it lies toward the middle of the board."""
        geometry, cell = self.sheet.geometry, self.now.position.board.cell(self.request.refused)
        x, y = geometry.centres[cell] if cell in geometry.cells else (geometry.width / 2, 0)
        across = "left" if 3 * x < geometry.width else "right" if 3 * x > 2 * geometry.width else "middle"
        return f"{across} {'below' if 2 * y < geometry.height else 'above'}"

    def _cells_to_mark(self) -> list[Cell]:
        """The cells as links to the marks about each."""
        position, geometry, on = self.game.position, self.sheet.geometry, self.request.on
        found = []
        for cell in geometry.cells:
            name = position.board.name(cell)
            label = boards.label(position, cell, _("chosen") if name == on else "")
            beside, address = boards.neighbours(geometry, cell), self.at(on=name)
            found.append(Cell(name, label, beside, open=True, chosen=name == on, address=address))
        return found

    @property
    def hints(self) -> bool:
        """Whether there are so few choices that marks on them help."""
        source = self.source
        if source is None or source.position.phase is not Phase.PLAY:
            return False
        return 2 * len(_cells_of(source)) < source.position.empty.bit_count()

    @property
    def coarse(self) -> list[tuple[str, str, bool]]:
        """The coarse cells that magnify a part of a large board: their names, those of the middles of the parts, and
        whether marks on them help.
        """
        if self.request.near or not self.cells:
            return []
        board, name = self.now.position.board, self.now.position.board.name
        open_cells = set() if self.source is None else _cells_of(self.source)
        found = []
        for cell in boards.coarse_cells(board.size):
            helps = self.hints and not open_cells.isdisjoint({cell, *bits(board.neighbours[cell])})
            found.append((name(cell), name(boards.middle_near(board.size, cell)), helps))
        return found

    # The bar

    @property
    def bar(self) -> Bar:
        if self.overlay is not None:
            return self._marks_bar(self.overlay)
        if not self.is_current:
            return Bar(html(words.last_turn(self.game)) or Markup.escape(_("The start of the match")))
        entry = self.entry
        if self.now.match.result is not None:
            ended, _line, more = result(self.now).partition("\n")
            return Bar(html(ended), html(more))
        if entry is None and self.may_claim:
            own = self.now.match.player(self.visitor.player_id or 0)
            return Bar(html(clocks.time_is_up(self.now.match, words.name(own))))
        if entry is None:
            return Bar(self.status)
        effect = html(effect_of(entry, entry.position.turn_of))
        back = (Choice(BACK, _("Back")),) if entry.text else ()
        if entry.finished:
            play = Choice(END, _("Play it"), main=True)
            return Bar(html(play_question(entry)), effect, (*back, play), entry.is_risky)
        asked = self._steps_on(self.request.cell)
        if len(asked) > 1:
            text = _("What do you do on {cell}?").format(cell=self.request.cell)
            return Bar(Markup.escape(text), effect, (*map(self._choice, asked), Choice("", _("Cancel"))))
        listed = [step for step in entry.steps if self._is_listed(step)]
        end: tuple[Choice, ...] = ()
        if entry.complete:
            label = _("Play only {turn}").format(turn=words.translate(entry.position.turn_name(entry.text)))
            end = (Choice(END, label, main=True),)
        return Bar(html(question_of(entry)), effect, (*back, *map(self._choice, listed), *end))

    def _marks_bar(self, overlay: render.Overlay[Any]) -> Bar:
        titles, on = dict(self.marks), self.request.on
        told = [_(overlay.legend)] if overlay.legend else []
        if overlay.of_cell and not on:
            told.append(_("Tap a cell to see only what has to do with it."))
        return Bar(Markup.escape(" · ".join(filter(None, [titles[overlay.name], on]))), Markup.escape(" ".join(told)))

    def _steps_on(self, cell: str) -> list[str]:
        """The steps of the turn on the cell of that name."""
        entry, found = self.entry, self.now.position.board.find(cell)
        if entry is None or found is None:
            return []
        return [step for step in entry.steps if entry.position.step_cell(step) == found]

    def _is_listed(self, step: str) -> bool:
        """Whether the bar offers a step: because it has no cell, or is one of few acts."""
        assert self.entry is not None
        if self.entry.position.step_cell(step) is None:
            return True
        acts = [each for each in self.entry.steps if each[0] in _ACTS]
        return step in acts and len(acts) <= _MOST_ACTS

    def _choice(self, step: str) -> Choice:
        assert self.entry is not None
        position = self.entry.position
        label = words.translate(position.step_name(self.entry.text, step))
        if position.phase is Phase.CHOICE:
            return Choice(step, _("Play {side}").format(side=label), main=True)
        return Choice(step, label, main=step == PASS and self.entry.must_pass)

    @property
    def status(self) -> Markup:
        """Whose decision is awaited."""
        game = self.now
        awaited = game.to_act
        assert awaited is not None
        if game.match.waiting:
            return Markup.escape(_("The match waits for a place on Discord."))
        player, ruleset = words.name(awaited), game.match.ruleset
        match game.position.phase:
            case Phase.OPENING:
                return html(_("{player} makes the opening.").format(player=player))
            case Phase.CHOICE:
                return html(_("{player} is choosing a side.").format(player=player))
        if awaited.level is not None:
            return html(_("🤖 {player} is thinking…").format(player=player))
        side = words.side(ruleset, game.position.turn_of)
        return html(_("{player} ({side}) to play.").format(player=player, side=side))

    # Around it

    @property
    def is_current(self) -> bool:
        return self.game.ply == self.now.ply

    @property
    def heading(self) -> str:
        return words.plain(words.versus(self.now.match))

    @property
    def terms(self) -> Markup:
        match = self.now.match
        return html(words.terms(match.ruleset, rated=match.rated))

    @property
    def title(self) -> str:
        """The title of the tab, which says whose turn it is."""
        match, awaited = self.now.match, self.now.to_act
        if match.result is not None:
            state = words.plain(words.result(self.now))
        elif self.entry is not None:
            state = _("● Your turn")
        else:
            assert awaited is not None
            state = _("{player} to play").format(player=words.plain_name(awaited))
        return f"{state} · {match.ruleset.game.title} · {self.heading}"

    @property
    def times(self) -> list[Time]:
        """The time that each player has left; none without a clock."""
        match, view = self.now.match, self.clock
        if view is None:
            return []
        return [
            Time(
                words.plain_name(player),
                clock_face(view.left(seat)),
                clocks.days_off_left(view, seat),
                int(view.left(seat).total_seconds()) if seat == view.clock.seat and view.clock.since else None,
            )
            for seat, player in enumerate(match.players)
        ]

    @property
    def clock_terms(self) -> str:
        assert self.clock is not None
        return f"{time_control(self.clock.clock.control)}. {clocks.terms(self.clock.clock.control)}"

    @property
    def gift(self) -> tuple[int, str] | None:
        """The seconds that the opponent has, and the label of the button that gives more; None without a clock."""
        if self.clock is None or self.visitor.player_id is None or not self.plays:
            return None
        clock, other = self.clock.clock, 1 - self.now.match.seat_of(self.visitor.player_id)
        return bank_seconds(clock, other), clocks.gift(clock.control)

    @property
    def claim(self) -> str:
        return clocks.claim()

    @property
    def may_claim(self) -> bool:
        """Whether the reader may claim the win, since the opponent's time is up."""
        own = self.visitor.player_id
        if self.clock is None or own is None or not self.plays:
            return False
        return self.clock.may_claim(self.now.match.seat_of(own))

    @property
    def told(self) -> Markup:
        """The last turn, and what it did."""
        return html(words.last_turn(self.game)) if self.is_current else Markup()

    @property
    def turns(self) -> list[TurnLink]:
        """The turns that stand, each a link that looks back."""
        found = []
        for ply, turn in enumerate(self.now.turns, 1):
            text = words.translate(self.now.position.turn_name(turn))
            found.append(TurnLink(ply, text, self._side_of_turn(ply), ply == self.game.ply))
        return found

    def _side_of_turn(self, ply: int) -> str:
        """The side that played a turn, for its colour; empty before the sides take turns."""
        if ply <= 2:
            return ""
        starts = self.now.position.starts
        side = starts if ply % 2 else starts.other
        return "first" if side is Side.FIRST else "second"

    @property
    def asked(self) -> list[Asked]:
        match, player_id = self.now.match, self.visitor.player_id
        return [
            Asked(
                each.id,
                html(request_of(each, match)),
                each.proposer.id == player_id,
                self.plays and each.proposer.id != player_id,
            )
            for each in match.proposals
        ]

    @property
    def requests(self) -> list[tuple[ProposalKind, str]]:
        """What the reader can ask of the opponent."""
        match = self.now.match
        if not self.plays:
            return []
        if match.result is not None and match.computer is not None:
            return []
        if match.result is not None:
            possible = match.rematch_id is None and not any(player.deleted for player in match.players)
            return [(ProposalKind.REMATCH, _("Rematch"))] if possible else []
        asked = {each.kind for each in match.proposals}
        abandon = _("Propose to abandon") if match.computer is None else _("Abandon")
        found = [(ProposalKind.DRAW, _("Offer a draw")), (ProposalKind.ABANDON, abandon)]
        if self.now.turns:
            found.insert(0, (ProposalKind.TAKE_BACK, _("Take back")))
        return [each for each in found if each[0] not in asked]

    @property
    def levels(self) -> list[tuple[int, str, bool]]:
        """The levels of the computer that the reader can play instead, or next, and whether they suit them best."""
        match, own = self.now.match, self.visitor.player_id
        if match.computer is None or own is None:
            return []
        labels = {match.computer.level: _("Rematch")}
        return [
            (level, labels.get(level, _("Level {level}").format(level=level)), level == self.suggested)
            for level in offered_levels(match, own)
        ]

    @property
    def has_hints(self) -> bool:
        """Whether the reader may ask for a hint now."""
        return self.entry is not None and not self.entry.text and gives_hints(self.now.match)

    @property
    def marks(self) -> list[tuple[str, str]]:
        """The overlays of the game, each with its title."""
        return list(overlay_titles(self.now.match.ruleset.game).items())


def _cells_of(entry: TurnEntry) -> set[int]:
    """The cells of the steps that can be chosen next."""
    return {cell for step in entry.steps if (cell := entry.position.step_cell(step)) is not None}


def clock_face(left: timedelta) -> str:
    """A time as a clock shows it, such as ``1:05:09``; in words if it is a day or more."""
    if left >= DAY:
        return span(left)
    minutes, seconds = divmod(int(left.total_seconds()), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
