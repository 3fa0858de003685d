"""A position of Nadraz, and the reasons to refuse a turn.

A turn is a *run*, written as its first and last cell. :class:`Runs` finds the legal ones without trying every run on
the board; the methods named after conditions of the rules only explain refusals.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import permutations
from typing import ClassVar, NoReturn, Self

from rules.board import Board, bits, cell_names
from rules.errors import IllegalTurn, NotATurn
from rules.events import Event, Flipped, Passed, Placed, placement
from rules.lazy import by_side
from rules.nadraz.snakes import Runs, Snake
from rules.notation import PASS, Notation, elements_of, tidy
from rules.position import HANDICAPS, Draft, Outcome, Phase, Position, ScorePart, Sections, Swing, Weight
from rules.side import Side
from rules.text import Text, gettext_noop, number

#: The sections of the rule page that the refusals come from.
_OPENING, _RUN, _PASSING = "nadraz/rules.md#the-opening", "nadraz/rules.md#your-turn", "nadraz/rules.md#passing"
_START, _CUTTING, _GROWING = "nadraz/rules.md#start", "nadraz/rules.md#cutting", "nadraz/rules.md#growing-and-merging"
_STOPPING, _EDGE = "nadraz/rules.md#stop-after-merging", "nadraz/rules.md#edge"
_SNAKES = "nadraz/rules.md#snakes-stay-snakes"

#: Why a game ends.
_BY_SNAKES, _BY_LAST_PLACEMENT = "snakes", "last placed"

_A_SNAKE = (gettext_noop("a black snake"), gettext_noop("a white snake"))


def _cells_between(on: Board, first: int, last: int) -> tuple[int, ...]:
    """The cells from the first to the last, inclusive; none if they are not in a straight line."""
    if first == last:
        return (first,)
    ray = next((ray for ray in on.rays[first] if last in ray), ())
    return (first, *ray[: ray.index(last) + 1]) if ray else ()


@cache
def _cells_of_run(on: Board, run: str) -> tuple[tuple[int, ...], int]:
    """The cells of a legal run, from the first to the last, and their mask."""
    ends = [cell for cell in map(on.find, run.split("-")) if cell is not None]
    cells = _cells_between(on, ends[0], ends[-1])
    return cells, sum(1 << cell for cell in cells)


@dataclass(frozen=True, slots=True)
class _Run:
    """Consecutive cells in a straight line, none of them a friendly stone and the last one empty."""

    #: From the first to the last.
    cells: tuple[int, ...]
    #: The cell just before the first in the line; None if there is none or the run is a single cell.
    before: int | None
    #: The cells that hold enemy stones.
    flipped: tuple[int, ...]


@dataclass(frozen=True)
class Nadraz(Position):
    """A position of Nadraz. ``passed`` says that the last turn was a pass."""

    passed: bool = False

    name: ClassVar[str] = "nadraz"
    title: ClassVar[str] = "Nadraz"
    version: ClassVar[int] = 1
    sizes: ClassVar[tuple[int, ...]] = (6, 7, 8, 9, 10, 11, 12, 13, 14)
    default_size: ClassVar[int] = 10
    variants: ClassVar[tuple[str, ...]] = (gettext_noop("standard"), gettext_noop("reverse"))
    sides: ClassVar[tuple[str, str]] = (gettext_noop("black"), gettext_noop("white"))
    lists_openings: ClassVar[bool] = False
    goals: ClassVar[Mapping[str, str]] = {
        "standard": gettext_noop(
            "You win with the longest snake, a chain of your stones. Each turn, extend a snake by a straight run of "
            "cells, which may cut enemy snakes."
        ),
        "reverse": gettext_noop(
            "You win with the fewest of the shortest snakes, chains of your stones. Each turn, extend a snake by "
            "a straight run of cells, which may cut enemy snakes."
        ),
    }
    variant_notes: ClassVar[Mapping[str, str]] = {
        "reverse": gettext_noop("the player with the fewest of the shortest snakes wins")
    }
    minutes: ClassVar[int] = 15
    weight: ClassVar[Weight] = Weight.MEDIUM
    reasons: ClassVar[Mapping[str, str]] = {
        _BY_SNAKES: gettext_noop("with the longest snakes"),
        _BY_LAST_PLACEMENT: gettext_noop("by placing last"),
    }
    opening_rule: ClassVar[str] = gettext_noop(
        "Opening: the first player places a {first} egg and a {second} egg, neither of them on the edge."
    )
    opening_hint: ClassVar[str] = gettext_noop("an egg of each side anywhere but on the edge")
    sections: ClassVar[Sections] = Sections(_OPENING, _RUN, "nadraz/rules.md#the-end", _PASSING)
    a_piece: ClassVar[tuple[str, str]] = (gettext_noop("a black stone"), gettext_noop("a white stone"))
    starts: ClassVar[Side] = Side.FIRST

    @classmethod
    def handicaps(cls, variant: str) -> range:
        """More snakes are no advantage in the variant ``reverse``, so nobody gets extra eggs there."""
        return HANDICAPS[:1] if variant == "reverse" else HANDICAPS

    # Snakes

    @by_side
    def snakes(self) -> tuple[tuple[Snake, ...], tuple[Snake, ...]]:
        """The side's snakes and eggs, in no particular order."""
        first, second = (
            tuple(Snake.of(cells, self.board) for cells in self.board.groups(self.stones(side))) for side in Side
        )
        return first, second

    def __getstate__(self) -> dict[str, object]:
        """The contents with the snakes, whose order is that of the legal turns."""
        return super().__getstate__() | {"snakes": self.snakes}

    def ends(self, side: Side) -> int:
        """The mask of the heads and tails of the side's snakes; eggs are not among them."""
        return sum(snake.ends for snake in self.snakes(side))

    def eggs(self, side: Side) -> int:
        """The mask of the side's eggs."""
        return sum(snake.cells for snake in self.snakes(side) if snake.is_egg)

    def piece_name(self, cell: int) -> Text | None:
        owner = self.owner(cell)
        if owner is None:
            return None
        side = self.side_name(owner)
        if self.eggs(owner) >> cell & 1:
            return Text("{side} egg", side=side)
        if self.ends(owner) >> cell & 1:
            return Text("{side} snake, an end", side=side)
        return Text("{side} snake", side=side)

    def lengths(self, side: Side) -> list[int]:
        """The lengths of the side's snakes, longest first."""
        return sorted((snake.length for snake in self.snakes(side)), reverse=True)

    def can_stand(self) -> bool:
        """Whether both sides have snakes, and each is an egg or has exactly two ends."""
        snakes = (snake for side in Side for snake in self.snakes(side))
        return super().can_stand() and all(snake.is_egg or snake.ends.bit_count() == 2 for snake in snakes)

    # The opening

    def openings(self) -> tuple[str, ...]:
        """The legal openings. The largest board has 219,492, so :meth:`parse` and :meth:`draft` do not list them."""
        return tuple(",".join(eggs) for eggs in permutations(self._egg_cells(), 2))

    def _egg_cells(self) -> list[str]:
        return self.board.names(self.empty & ~self.board.edge)

    def refuse_opening(self, turn: str) -> NoReturn:
        names = turn.split(",")
        eggs = [self.cell_named(name) for name in names if name or len(names) == 1]
        if len(names) != 2 or len(eggs) != 2:
            raise NotATurn("the opening is two eggs; {example}", rule=_OPENING, example=self.example)
        for egg, cell in zip(eggs, names, strict=True):
            if self.board.edge >> egg & 1:
                raise IllegalTurn(
                    "{cell} is an edge cell, where no egg can be placed", (egg,), cell=cell, rule=_OPENING
                )
            if not self.empty >> egg & 1:
                raise self.handicap_refusal(egg)
        raise IllegalTurn(
            "the eggs need two different cells, not {cell} for both", (eggs[0],), cell=names[0], rule=_OPENING
        )

    def open(self, turn: str) -> tuple[Self, tuple[Event, ...]]:
        """Play a legal opening: Black's egg, then White's."""
        black, white = (self.cell_named(name) for name in turn.split(","))
        opened = self.changed(first=self.first | 1 << black, second=1 << white)
        return opened, (Placed(Side.FIRST, black), Placed(Side.SECOND, white))

    def draft(self, text: str = "") -> Draft:
        """A turn under construction. The last cell of a run is enough if no other run begins or ends there."""
        begun = tidy(text)
        if self.phase is not Phase.OPENING:
            return super().draft(self._only_run_to(begun) or begun)
        cells = self._egg_cells()
        if not begun:
            return Draft("", tuple(cells), False, self, ())
        if begun in cells:
            others = tuple(f",{cell}" for cell in cells if cell != begun)
            egg = self.cell_named(begun)
            return Draft(begun, others, False, self.changed(first=self.first | 1 << egg), (Placed(Side.FIRST, egg),))
        preview, events = self.play(begun)
        return Draft(begun, (), True, preview, events)

    def _only_run_to(self, cell: str) -> str:
        """The only run that ends on a cell where none begins; empty if there is no such run, or several."""
        if any(turn.partition("-")[0] == cell for turn in self.legal_turns):
            return ""
        ending = [turn for turn in self.legal_turns if turn.endswith(f"-{cell}")]
        return ending[0] if len(ending) == 1 else ""

    def element_name(self, begun: str, element: str) -> Text | str:
        return Text("Run to {cell}", cell=element[1:]) if element[0] == "-" else super().element_name(begun, element)

    def question(self, draft: Draft) -> Text:
        match self.phase:
            case Phase.OPENING:
                side = self.side_name(Side.SECOND if draft.text else Side.FIRST)
                return Text("Where do you lay the **{side}** egg?", side=side)
            case Phase.PLAY if draft.complete:
                return Text("Tap where the run ends, or play **{cell}** alone.", cell=elements_of(draft.text)[0])
            case Phase.PLAY if draft.text:
                return Text("Where does the run from **{cell}** end?", cell=elements_of(draft.text)[0])
            case Phase.PLAY:
                return Text("Where does the run begin?")
        return super().question(draft)

    @property
    def example(self) -> Text:
        if self.phase is Phase.PLAY:
            if self.legal_turns == (PASS,):
                return Text("you have no legal run, so write pass")
            longer = next((turn for turn in self.legal_turns if "-" in turn), None)
            if longer is None:
                return Text("write the first and the last cell of the run, or the cell alone when it is one cell")
            return Text(
                "write the first and the last cell of the run, such as {run}, or the cell alone when it is one cell",
                run=Notation(longer),
            )
        ray = self.board.rays[self.board.centre][1]
        eggs = f"{self.board.name(self.board.centre)},{self.board.name(ray[(self.board.size - 2) // 2])}"
        return Text("write Black's egg, a comma and White's egg, such as {eggs}", eggs=Notation(eggs))

    # The legal runs

    def turns(self) -> tuple[str, ...]:
        """All legal runs or, if there are none, the pass."""
        return tuple(self.runs().names()) or (PASS,)

    def runs(self) -> Runs:
        """The search for the legal runs."""
        return Runs(self.board, self.snakes(self.turn_of), self.snakes(self.turn_of.other))

    def is_legal(self, turn: str) -> bool:
        if self.phase is Phase.OPENING:
            eggs = turn.split(",")
            return len(eggs) == len(set(eggs)) == 2 and set(eggs) <= set(self._egg_cells())
        if turn == PASS or self.phase is not Phase.PLAY or "legal_turns" in vars(self):
            return turn in self.legal_turns
        # Few runs have the origin of this one, so finding only these is faster.
        return turn in self.runs()

    # Taking a turn

    def take_turn(self, turn: str) -> tuple[Self, tuple[Event, ...]]:
        events = (Passed(self.turn_of),) if turn == PASS else self._events(*_cells_of_run(self.board, turn))
        return self.after(turn), events

    def after(self, turn: str) -> Self:
        """Return the position after a legal turn, like :meth:`take_turn`, but without events."""
        mover = self.turn_of
        if turn == PASS:
            passing = self.changed(turn_of=mover.other, passed=True)
            vars(passing)["snakes"] = self.snakes
            return passing.at_end() if self.passed else passing
        _, placed = _cells_of_run(self.board, turn)
        own, enemy = self.stones(mover) | placed, self.stones(mover.other) & ~placed
        black, white = (enemy, own) if mover else (own, enemy)
        reached = self.changed(first=black, second=white, turn_of=mover.other, passed=False)
        # The other snakes are unchanged, so they need not be found again.
        snakes = self._own_snakes_after(placed), self._enemy_snakes_after(placed)
        vars(reached)["snakes"] = (snakes[::-1] if mover else snakes).__getitem__
        return reached

    def _own_snakes_after(self, placed: int) -> tuple[Snake, ...]:
        near, apart, joined = self.board.spread(placed), list[Snake](), list[Snake]()
        for snake in self.snakes(self.turn_of):
            (joined if snake.cells & near else apart).append(snake)
        return (*apart, Snake.grown(placed, joined, self.board))

    def _enemy_snakes_after(self, placed: int) -> tuple[Snake, ...]:
        snakes = self.snakes(self.turn_of.other)
        if not placed & self.stones(self.turn_of.other):
            return snakes
        after: list[Snake] = []
        for snake in snakes:
            if snake.cells & placed:
                after += (Snake.of(part, self.board) for part in self.board.groups(snake.cells & ~placed))
            else:
                after.append(snake)
        return tuple(after)

    def _events(self, run: tuple[int, ...], placed: int) -> tuple[Event, ...]:
        """The events of a run, from its first cell to its last. Each unbroken stretch of enemy stones flips at once."""
        mover, enemy = self.turn_of, placed & self.stones(self.turn_of.other)
        if not enemy:
            return tuple([placement(mover, cell) for cell in run])
        by = tuple(cell for cell in run if not enemy >> cell & 1)
        events: list[Event] = []
        stretch: list[int] = []
        for cell in run:
            if enemy >> cell & 1:
                stretch.append(cell)
                continue
            if stretch:
                events.append(Flipped(mover, tuple(stretch), by))
                stretch = []
            events.append(placement(mover, cell))
        return tuple(events)

    # The end of the game

    def at_end(self) -> Self:
        """This position as the end of the game, after the second of two passes in a row."""
        winner = self.leader()
        if winner is not None:
            return self.changed(outcome=Outcome(winner, _BY_SNAKES))
        # The side that passed second was also the last to place; in a game without a run, that is White, whose egg was
        # last.
        return self.changed(outcome=Outcome(self.turn_of.other, _BY_LAST_PLACEMENT))

    def leader(self) -> Side | None:
        """The side whose snakes would win by length now; None if the lengths are equal.

        Standard: the side with more snakes of the greatest length, then of the next. ``reverse``: the side with fewer
        of the shortest length, and so on upward.
        """
        black, white = self.lengths(Side.FIRST), self.lengths(Side.SECOND)
        reverse = self.ruleset.variant == "reverse"
        for length in sorted({*black, *white}, reverse=not reverse):
            more = black.count(length) - white.count(length)
            if more:
                return Side.FIRST if (more > 0) is not reverse else Side.SECOND
        return None

    def score(self) -> dict[str, int | float | list[int]]:
        """The lengths of each side's snakes, longest first."""
        return {self.sides[side]: self.lengths(side) for side in Side}

    def swing(self, after: Self) -> Swing:
        """The change of the side's longest snake that changed more."""
        changes = {side: (self.longest(side), after.longest(side)) for side in Side}
        side = max(changes, key=lambda side: abs(changes[side][1] - changes[side][0]))
        before, now = changes[side]
        values = {"side": self.side_name(side), "before": before, "after": now}
        text = Text("{side}'s longest snake grows from {before} to {after}", **values)
        if now < before:
            text = Text("{side}'s longest snake shrinks from {before} to {after}", **values)
        return Swing(abs(now - before), text)

    def longest(self, side: Side) -> int:
        """The length of the side's longest snake; 0 without snakes."""
        return max(self.lengths(side), default=0)

    def score_parts(self) -> tuple[ScorePart, ...]:
        name = Text("shortest snakes") if self.ruleset.variant == "reverse" else Text("longest snakes")
        return (ScorePart(name, *map(self._decisive_lengths, Side)),)

    def _decisive_lengths(self, side: Side) -> str:
        """The lengths of the side's snakes in order of comparison, up to the deciding ones."""
        reverse = self.ruleset.variant == "reverse"
        own, enemy = (sorted(self.lengths(player), reverse=not reverse) for player in (side, side.other))
        equal = next((i for i, pair in enumerate(zip(own, enemy, strict=False)) if pair[0] != pair[1]), len(enemy))
        shown = own[: equal + 1]
        counts = {length: shown.count(length) for length in shown}
        listed = [f"{length} ×{count}" if count > 1 else f"{length}" for length, count in counts.items()]
        return ", ".join(listed)

    # Why a turn is refused

    def refuse_turn(self, turn: str) -> NoReturn:
        if turn == PASS:
            raise IllegalTurn("you can pass only when you have no legal run", rule=_PASSING)
        refusal = self._broken_condition(self._run(turn))
        assert refusal is not None, f"{turn} breaks no condition, so it should be among the legal runs"
        raise refusal

    def _broken_condition(self, run: _Run) -> IllegalTurn | None:
        """The refusal for a condition that the run breaks; None if it breaks none."""
        # A single snake has to satisfy all of the first conditions; the snake that satisfies the most explains best.
        conditions = (self._start, self._start_room, self._flips, self._growing_or_merging, self._stop_after_merging)
        furthest, reason = -1, IllegalTurn("you have no snake", rule=_RUN)
        for snake in self.snakes(self.turn_of):
            refusals = ((number, condition(snake, run)) for number, condition in enumerate(conditions))
            number, refusal = next((found for found in refusals if found[1] is not None), (len(conditions), None))
            if refusal is None:
                break
            if number > furthest:
                furthest, reason = number, refusal
        else:
            return reason
        return self._edge(run) or self._snakes_stay_snakes(run)

    def _run(self, turn: str) -> _Run:
        """The run with that name. Raises :class:`TurnError` if it cannot be a run, wherever the snakes are."""
        names = turn.split("-")
        if len(names) > 2 or "" in names:
            shown = turn if len(turn) <= 20 else turn[:20] + "…"
            raise NotATurn("“{text}” is not a turn; {example}", text=Notation(shown), example=self.example)
        first, last = self.cell_named(names[0]), self.cell_named(names[-1])
        if len(names) == 2 and first == last:
            raise NotATurn("a run of one cell is written as that cell alone: {cell}", cell=Notation(names[0]))
        cells = _cells_between(self.board, first, last)
        if not cells:
            ends = {"first": names[0], "last": names[1]}
            raise IllegalTurn("{first} and {last} are not in a straight line", (first, last), **ends, rule=_RUN)
        own = tuple(cell for cell in cells if self.owner(cell) is self.turn_of)
        if own:
            crossed = Text.counted(
                "a run crosses empty cells and enemy stones, but there is your own stone on {cells}",
                "a run crosses empty cells and enemy stones, but there are your own stones on {cells}",
                len(own),
                cells=self._names(own),
            )
            raise IllegalTurn(crossed, own, rule=_RUN)
        if self.owner(last) is not None:
            raise IllegalTurn(
                "a run ends on an empty cell, but {cell} holds {piece}",
                (last,),
                cell=names[-1],
                piece=Text(self.a_piece[self.turn_of.other]),
                rule=_RUN,
            )
        flipped = tuple(cell for cell in cells if self.owner(cell) is not None)
        # The cell before the first, in line with the run.
        before = None if len(cells) == 1 else 2 * cells[0] - cells[1]
        return _Run(cells, before if before in self.board.neighbours else None, flipped)

    def _names(self, cells: tuple[int, ...] | int) -> str:
        return cell_names(self.board, cells)

    def _start(self, snake: Snake, run: _Run) -> IllegalTurn | None:
        """Start: next to a head, tail or egg or, if the run begins with a cut, straight on from one."""
        first = run.cells[0]
        if first not in run.flipped:
            if snake.front >> first & 1:
                return None
            reason = gettext_noop("a run starts next to a head, tail or egg of yours, but {cell} is not next to one")
        elif self._runs_on_from(snake, run):
            return None
        else:
            reason = gettext_noop(
                "a run that begins with a cut runs straight on from a head, tail or egg of yours, "
                "but there is none just before {cell}"
            )
        return IllegalTurn(
            reason, (first,), cell=self._names((first,)), rule=_START if first not in run.flipped else _CUTTING
        )

    def _start_room(self, snake: Snake, run: _Run) -> IllegalTurn | None:
        """Start: next to one or two stones of the snake, if the run starts on an empty cell."""
        first = run.cells[0]
        if first in run.flipped or not snake.beside_three >> first & 1:
            return None
        near = snake.cells & self.board.neighbours[first]
        return IllegalTurn(
            "a run starts next to one or two stones of your snake, but {cell} is next to {count} of them: {stones}",
            tuple(bits(near)),
            cell=self._names((first,)),
            count=number(near.bit_count()),
            stones=self._names(near),
            rule=_START,
        )

    def _runs_on_from(self, snake: Snake, run: _Run) -> bool:
        """Whether the cell just before the run in its line is a head, tail or egg of the snake."""
        return run.before is not None and bool(snake.tips >> run.before & 1)

    def _flips(self, snake: Snake, run: _Run) -> IllegalTurn | None:
        """Flips: straight on from a head, tail or egg, and never an enemy's head, tail or egg."""
        if run.flipped and not self._runs_on_from(snake, run):
            return IllegalTurn(
                "a run that cuts runs straight on from a head, tail or egg of yours, "
                "but there is none just before {cell}",
                run.flipped,
                cell=self._names(run.cells[:1]),
                rule=_CUTTING,
            )
        enemy = self.turn_of.other
        for reason, stones in (
            (gettext_noop("{cell} is an egg, which cannot be cut"), self.eggs(enemy)),
            (gettext_noop("{cell} is a head or tail, which cannot be cut"), self.ends(enemy)),
        ):
            safe = tuple(cell for cell in run.flipped if stones >> cell & 1)
            if safe:
                return IllegalTurn(reason, safe, cell=self._names(safe[:1]), rule=_CUTTING)
        return None

    def _growing_or_merging(self, snake: Snake, run: _Run) -> IllegalTurn | None:
        """Growing or merging: the last cell is next to at most two stones of each other friendly snake."""
        last = run.cells[-1]
        for other in self.snakes(self.turn_of):
            if other is not snake and other.beside_three >> last & 1:
                near = other.cells & self.board.neighbours[last]
                return IllegalTurn(
                    "a run ends next to at most two stones of another snake of yours, "
                    "but {cell} is next to {count}: {stones}",
                    tuple(bits(near)),
                    cell=self._names((last,)),
                    count=number(near.bit_count()),
                    stones=self._names(near),
                    rule=_GROWING,
                )
        return None

    def _stop_after_merging(self, snake: Snake, run: _Run) -> IllegalTurn | None:
        """Stop after merging: at the first cell next to another friendly snake, or behind the enemy stones there."""
        others = 0
        for other in self.snakes(self.turn_of):
            if other is not snake:
                others |= other.beside
        at = next((at for at, cell in enumerate(run.cells) if others >> cell & 1), None)
        if at is None:
            return None
        stops = [] if run.cells[at] in run.flipped else [run.cells[at]]
        behind = run.cells[at + len(stops) :]
        if behind and (not stops or behind[0] in run.flipped):
            stops.append(next(cell for cell in behind if cell not in run.flipped))
        if run.cells[-1] in stops:
            return None
        reason = (
            gettext_noop("the run touches another snake of yours at {cell}, so it has to stop at {stop}")
            if len(stops) == 1
            else gettext_noop(
                "the run touches another snake of yours at {cell}, so it has to stop at {stop} or {behind}"
            )
        )
        values = dict(zip(("stop", "behind"), map(self.board.name, stops), strict=False))
        return IllegalTurn(reason, tuple(stops), cell=self._names((run.cells[at],)), **values, rule=_STOPPING)

    def _edge(self, run: _Run) -> IllegalTurn | None:
        """Edge: a run that puts a stone on an empty edge cell must flip at least one stone."""
        edge = tuple(cell for cell in run.cells if self.board.edge >> cell & 1)
        if run.flipped or not edge:
            return None
        reason = Text.counted(
            "only a run that cuts may put stones on the edge, so not on the edge cell {cells}",
            "only a run that cuts may put stones on the edge, so not on the edge cells {cells}",
            len(edge),
            cells=self._names(edge),
        )
        return IllegalTurn(reason, edge, rule=_EDGE)

    def _snakes_stay_snakes(self, run: _Run) -> IllegalTurn | None:
        """Snakes stay snakes: after the turn every snake of both sides is an egg or has exactly two ends."""
        placed = sum(1 << cell for cell in run.cells)
        for whose, snakes in (
            (gettext_noop("your snake"), self._own_snakes_after(placed)),
            (_A_SNAKE[self.turn_of.other], self._enemy_snakes_after(placed)),
        ):
            for snake in snakes:
                if not snake.is_well_formed:
                    return IllegalTurn(
                        self._ends_of(snake, Text(whose)), tuple(bits(snake.ends or snake.cells)), rule=_SNAKES
                    )
        return None

    def _ends_of(self, snake: Snake, whose: Text) -> Text:
        """The mistake in the ends of a would-be snake, in words."""
        count = snake.ends.bit_count()
        if not count:
            return Text("a snake has exactly one head and one tail, but {snake} would have no ends", snake=whose)
        return Text.counted(
            "a snake has exactly one head and one tail, but {snake} would have one end ({ends})",
            "a snake has exactly one head and one tail, but {snake} would have {count} ends ({ends})",
            count,
            snake=whose,
            count=number(count),
            ends=self._names(snake.ends),
        )
