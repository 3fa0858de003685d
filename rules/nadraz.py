"""Nadraz, a unification game by Saïd Galdseid (2023): snakes grow, merge and cut, and the longest ones win.

The rules are explained in ``rules/nadraz.md``; each of their terms is a method or an attribute here. A turn is a *run*,
written by its first and last cell. :meth:`Nadraz.turns` lists the legal ones without trying every run of the board;
the six conditions one by one, under their names in the rules, are in :meth:`Nadraz.turn_refusal`, which says why any
other run is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import permutations
from typing import ClassVar, Self

from rules.board import Board, bits
from rules.game import (
    PASS,
    Draft,
    Event,
    Flipped,
    IllegalTurn,
    NotATurn,
    Outcome,
    Passed,
    Phase,
    Placed,
    Position,
    Reason,
    Sections,
    Side,
    TurnError,
    cell_names,
)
from rules.lazy import lazy
from rules.text import Text, later, number

_placed = cache(Placed)  # an event is the same each time

#: The sections of the rule page that the refusals come from.
_OPENING, _RUN, _PASSING = "nadraz.md#the-opening", "nadraz.md#your-turn", "nadraz.md#passing"
_START, _CUTTING, _GROWING = "nadraz.md#start", "nadraz.md#cutting", "nadraz.md#growing-and-merging"
_STOPPING, _EDGE, _SNAKES = "nadraz.md#stop-after-merging", "nadraz.md#edge", "nadraz.md#snakes-stay-snakes"

_A_SNAKE = (later("a black snake"), later("a white snake"))


@cache
def _named_runs(on: Board, first: int) -> tuple[tuple[tuple[int, str], ...], ...]:
    """For each direction the last cells and the names of the runs of two cells and more from that first cell."""
    return tuple(tuple((last, f"{on.name(first)}-{on.name(last)}") for last in ray) for ray in on.rays[first])


@cache
def _cells_between(on: Board, first: int, last: int) -> tuple[int, ...]:
    """The cells from the first to the last, both included; empty when they are not in a straight line."""
    if first == last:
        return (first,)
    ray = next((ray for ray in on.rays[first] if last in ray), ())
    return (first, *ray[: ray.index(last) + 1]) if ray else ()


def _leading(to: int, over: int, step: int) -> int:
    """The cells of ``over`` from which such steps, all over cells of ``over``, lead to one of the cells ``to``."""
    found = 0
    while to := (to >> step if step > 0 else to << -step) & over:
        found |= to
    return found


def _flags(mask: int, on: Board) -> str:
    """The mask as text with a ``1`` at the place of each of its cells: quicker to ask, cell by cell, than a mask."""
    return f"{mask | 1 << on.cells[-1] + 1:b}"[::-1]


@dataclass(frozen=True, slots=True)
class Snake:
    """A maximal connected set of stones of one colour; all attributes but ``tangled`` are masks."""

    cells: int
    #: The head and the tail: the stones with exactly one adjacent stone of the snake. An egg has none.
    ends: int
    #: Where it can grow: its ends, or the egg.
    tips: int
    #: The other cells next to one of its stones, and next to at least three.
    beside: int
    beside_three: int
    #: The other cells next to a tip.
    front: int
    #: Those next to one tip only, and to at most two stones: a run that starts or ends there leaves the other end.
    dock: int
    #: Whether it touches itself: without a stone that has three adjacent ones it is a plain line.
    tangled: bool

    @classmethod
    def of(cls, cells: int, on: Board) -> Snake:
        """The snake of these stones, which are connected."""
        once = twice = thrice = 0
        for step in on.directions[:3]:
            for moved in (cells << step, cells >> step):
                thrice |= twice & moved
                twice |= once & moved
                once |= moved
        ends, others = cells & once & ~twice, on.mask & ~cells
        tips = ends if once & cells else cells
        front, both = on.contacts(tips)
        dock = front & others & ~both & ~thrice
        return cls(cells, ends, tips, once & others, thrice & others, front & others, dock, bool(thrice & cells))

    @property
    def length(self) -> int:
        """The number of its stones."""
        return self.cells.bit_count()

    @property
    def is_egg(self) -> bool:
        return not self.cells & (self.cells - 1)

    @property
    def is_well_formed(self) -> bool:
        """Whether it is an egg or has exactly two ends."""
        return self.is_egg or self.ends.bit_count() == 2


@lru_cache(maxsize=4096)  # most snakes stay as they are for many turns
def _falls_into_snakes(on: Board, snake: int, cut: int) -> bool:
    """Whether every part of the snake without the cut stones is an egg or has exactly two ends."""
    once, twice = on.contacts(snake & ~cut)
    rest = snake & ~cut & once  # without the eggs
    ends = rest & ~twice
    if ends.bit_count() % 2:
        return False
    # Every part has a stone next to the cut, so the parts are found from there, the last one without a search.
    seams = on.spread(cut) & rest
    if not ends or on.flood(seams & -seams, seams) == seams:
        return not rest or ends.bit_count() == 2
    while seams & seams - 1:
        part = on.flood(seams & -seams, rest)
        if (part & ends).bit_count() != 2:
            return False
        seams, rest = seams & ~part, rest & ~part
    return not rest or (rest & ends).bit_count() == 2


@dataclass(frozen=True, slots=True)
class _Surroundings:
    """The cells around one side's snakes, as masks: next to …"""

    snakes: int  # at least one of them
    several: int  # at least two of them
    starts: int  # a head, tail or egg, but not three stones of one snake; where a run that flips nothing may start
    docks: int  # one snake only, and there on its ``dock``

    def other_than(self, snake: Snake) -> int:
        """The cells next to another one of the side's snakes than this."""
        return self.several | self.snakes & ~snake.beside


@dataclass(frozen=True, slots=True)
class _Run:
    """Consecutive cells in a straight line, none of them a friendly stone and the last one empty."""

    #: From the first to the last.
    cells: tuple[int, ...]
    #: The cell just before the first in the line; None when there is none or the run is one cell.
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
    variants: ClassVar[tuple[str, ...]] = (later("standard"), later("reverse"))
    sides: ClassVar[tuple[str, str]] = (later("black"), later("white"))
    sections: ClassVar[Sections] = Sections(_OPENING, _RUN, _PASSING, "nadraz.md#the-end")
    a_piece: ClassVar[tuple[str, str]] = (later("a black stone"), later("a white stone"))
    starts: ClassVar[Side] = Side.FIRST

    # Snakes

    @lazy
    def _snakes(self) -> tuple[tuple[Snake, ...], tuple[Snake, ...]]:
        first, second = (
            tuple(Snake.of(cells, self.board) for cells in self.board.groups(self.stones(side))) for side in Side
        )
        return first, second

    def snakes(self, side: Side) -> tuple[Snake, ...]:
        """The side's snakes and eggs, in no particular order."""
        return self._snakes[side]

    def ends(self, side: Side) -> int:
        """The mask of the heads and tails of the side's snakes; eggs are not among them."""
        return sum(snake.ends for snake in self.snakes(side))

    def eggs(self, side: Side) -> int:
        """The mask of the side's eggs."""
        return sum(snake.cells for snake in self.snakes(side) if snake.is_egg)

    def lengths(self, side: Side) -> list[int]:
        """The lengths of the side's snakes, longest first."""
        return sorted((snake.length for snake in self.snakes(side)), reverse=True)

    def _tips(self, side: Side) -> int:
        return sum(snake.tips for snake in self.snakes(side))

    @lazy
    def _around(self) -> _Surroundings:
        """The surroundings of the snakes of the side to play."""
        snakes = several = three_stones = front = docks = 0
        for snake in self.snakes(self.turn_of):
            several |= snakes & snake.beside
            snakes |= snake.beside
            three_stones |= snake.beside_three
            front |= snake.front
            docks |= snake.dock
        return _Surroundings(snakes, several, self._inner & front & ~three_stones, docks & ~several)

    @lazy
    def _inner(self) -> int:
        """The empty cells that are not edge cells: where a run that flips nothing may put its stones."""
        return self.empty & ~self.board.edge

    # The opening

    def openings(self) -> tuple[str, ...]:
        """The legal openings. The largest board has 219,492; :meth:`parse` and :meth:`draft` do without them."""
        return tuple(",".join(eggs) for eggs in permutations(self._egg_cells(), 2))

    def _egg_cells(self) -> list[str]:
        return self.board.names(self.board.mask & ~self.board.edge)

    def parse(self, text: str) -> str:
        if self.phase is not Phase.OPENING:
            return super().parse(text)
        opening = _without_spaces(text)
        if self._eggs_refusal(opening) is not None:
            raise self.refusal(opening)
        return opening

    def opening_refusal(self, turn: str) -> TurnError:
        refusal = self._eggs_refusal(turn)
        if refusal is None:
            raise AssertionError(f"{turn} is a legal opening")
        return refusal

    def _eggs_refusal(self, opening: str) -> TurnError | None:
        """Why the text is not an opening; None when it is one."""
        if opening == PASS:
            return IllegalTurn("the opening cannot be passed; {example}", example=self.example, rule=_OPENING)
        names = opening.split(",")
        try:
            eggs = [self.named(name) for name in names if name or len(names) == 1]
        except TurnError as error:
            return error
        if len(names) != 2 or len(eggs) != 2:
            return NotATurn("the opening is two eggs; {example}", rule=_OPENING, example=self.example)
        for egg in eggs:
            if self.board.edge >> egg & 1:
                name = self.board.name(egg)
                return IllegalTurn(
                    "{cell} is an edge cell, where no egg can be placed", (egg,), cell=name, rule=_OPENING
                )
        if eggs[0] == eggs[1]:
            return IllegalTurn(
                "the eggs need two different cells, not {cell} for both", (eggs[0],), cell=names[0], rule=_OPENING
            )
        return None

    def open(self, turn: str) -> tuple[Self, tuple[Event, ...]]:
        """A legal opening: Black's egg, then White's."""
        black, white = (self.named(name) for name in turn.split(","))
        opened = self.changed(first=1 << black, second=1 << white)
        return opened, (Placed(Side.FIRST, black), Placed(Side.SECOND, white))

    def draft(self, text: str = "") -> Draft:
        if self.phase is not Phase.OPENING:
            return super().draft(text)
        begun = _without_spaces(text)
        cells = self._egg_cells()
        if not begun:
            return Draft("", tuple(cells), False, self, ())
        if begun in cells:
            return Draft(begun, tuple(f",{cell}" for cell in cells if cell != begun), False, self, ())
        preview, events = self.play(begun)
        return Draft(begun, (), True, preview, events)

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
                run=longer,
            )
        ray = self.board.rays[self.board.centre][1]
        eggs = f"{self.board.name(self.board.centre)},{self.board.name(ray[(self.board.size - 2) // 2])}"
        return Text("write Black's egg, a comma and White's egg, such as {eggs}", eggs=eggs)

    # The legal runs

    def turns(self) -> tuple[str, ...]:
        """All legal runs; when there is none, the pass."""
        return (*self._runs_of_one_cell(), *self._runs_without_cuts(), *self._runs_with_cuts()) or (PASS,)

    def _runs_of_one_cell(self) -> Iterator[str]:
        """Growing or merging by one stone."""
        starts, (_, two_stones) = self._around.starts, self.board.contacts(self.stones(self.turn_of))
        # Next to a tip and to no other stone, it is the new end. Next to more stones of one snake alone it would only
        # close that end; next to several snakes it merges them.
        for cell in bits(starts):
            if not two_stones >> cell & 1 or (self._around.several >> cell & 1 and self._joins_well(1 << cell, cell)):
                yield self.board.name(cell)

    def _runs_without_cuts(self) -> Iterator[str]:
        """Growing or merging by two stones or more: in any direction, over empty cells, and never to the edge."""
        around, inner = self._around, self._inner
        free = _flags(inner & ~around.snakes, self.board)
        beside = _flags(inner & around.snakes, self.board)
        ray_masks, neighbours = self.board.ray_masks, self.board.neighbours
        for snake in self.snakes(self.turn_of):
            others = around.other_than(snake)
            # A start next to another snake too would have to stop there.
            for first in bits(around.starts & snake.beside & ~others):
                # The run's last cell becomes an end, so it must leave exactly one: the end that it has not started
                # from, or the egg, which it must not touch again.
                left = snake.tips if snake.is_egg else snake.ends & ~neighbours[first]
                for direction, straight in enumerate(_named_runs(self.board, first)):
                    grows = bool(left)
                    for last, name in straight:
                        if free[last] == "1":
                            if grows:
                                yield name
                        elif beside[last] != "1":
                            break
                        elif others >> last & 1:
                            run = 1 << first | ray_masks[first][direction] ^ ray_masks[last][direction]
                            if self._merges(snake, run, last, keeps_end=grows):
                                yield name
                            break
                        elif neighbours[last] & left:
                            grows = False

    def _runs_with_cuts(self) -> Iterator[str]:
        """Runs that flip something: straight on from a head, tail or egg."""
        on, empty, snakes, enemy = self.board, self.empty, self.snakes(self.turn_of), self.turn_of.other
        cuttable = self.stones(enemy) & ~self._tips(enemy)
        ground = _flags(empty, on), _flags(cuttable, on), _flags(self._around.snakes, on)
        for direction, step in enumerate(on.directions):
            # Few tips have something to cut in that direction: over empty cells, and with an empty cell behind it.
            cut = _leading(empty, cuttable, step)
            starts = cut | _leading(cut, empty, step)
            before = starts >> step if step > 0 else starts << -step
            for snake in snakes:
                for tip in bits(snake.tips & before) if snake.tips & before else ():  # mostly none
                    first, whole = tip + step, on.ray_masks[tip][direction]
                    if (empty & snake.beside_three) >> first & 1:
                        continue
                    well: dict[int, bool] = {}
                    for last in self._cut_cells(snake, tip, direction, ground):
                        flipped = cuttable & (whole ^ on.ray_masks[last][direction])
                        if flipped not in well:
                            well[flipped] = self._cuts_well(flipped)
                        if well[flipped]:
                            yield f"{on.name(first)}-{on.name(last)}"

    def _cut_cells(self, snake: Snake, tip: int, direction: int, ground: tuple[str, str, str]) -> Iterator[int]:
        """The cells straight on from a tip where a run that flips something may stop, if the cuts leave snakes.

        ``ground`` are the :func:`_flags` of the empty cells, of the stones to cut and of what is next to a friendly
        stone. At the first cell next to another friendly snake, or at the cut cell behind the enemy stones there, the
        run has to stop.
        """
        (empty, cuttable, beside), others = ground, self._around.other_than(snake)
        masks, neighbours = self.board.ray_masks, self.board.neighbours
        left = snake.tips ^ 1 << tip
        keeps_end, flips, behind_enemy, meets = True, False, False, False
        for cell in self.board.rays[tip][direction]:
            met_before, touches = meets, beside[cell] == "1"
            if touches:
                meets = meets or bool(others >> cell & 1)
                keeps_end = keeps_end and not neighbours[cell] & left
            if cuttable[cell] == "1":
                flips = behind_enemy = True
                continue
            if empty[cell] != "1" or (met_before and not behind_enemy):
                return
            if flips and meets:
                run = masks[tip][direction] ^ masks[cell][direction]
                if self._merges(snake, run, cell, keeps_end=keeps_end and not met_before):
                    yield cell
            elif flips and keeps_end and not touches:
                yield cell  # the new end
            if met_before:
                return
            behind_enemy = False

    def _merges(self, snake: Snake, run: int, last: int, *, keeps_end: bool) -> bool:
        """Whether a run from this snake merges with others: next to at most two stones of each, and leaving two ends.

        ``keeps_end`` says that the snake keeps its other end and that only the last cell is next to others.
        """
        if keeps_end and not self._around.several >> last & 1:
            return bool(self._around.docks >> last & 1)  # one other snake, which keeps one end too
        crowded = (other.beside_three >> last & 1 for other in self.snakes(self.turn_of) if other is not snake)
        return self._joins_well(run, last) and not any(crowded)

    def _joins_well(self, run: int, last: int) -> bool:
        """Whether the run and all friendly snakes that it touches, which become one snake, have two ends together."""
        near = self.board.spread(run)
        # The first of several cells has the second and a stone of the snake; those between have two of the run.
        ends = int((self.board.neighbours[last] & (self.stones(self.turn_of) | run)).bit_count() == 1)
        for snake in self.snakes(self.turn_of):
            if snake.cells & near:
                # A head or tail that the run touches is an end no longer; an egg is one when one cell touches it.
                ends += (snake.ends & ~near).bit_count() if snake.ends else (snake.beside & run).bit_count() == 1
        return ends == 2

    def _cuts_well(self, flipped: int) -> bool:
        """Whether every part that the cuts leave of the enemy's snakes is an egg or has two ends."""
        # A plain line, its ends left out of the cut, falls into plain lines and eggs.
        return all(
            _falls_into_snakes(self.board, snake.cells, snake.cells & flipped)
            for snake in self.snakes(self.turn_of.other)
            if snake.tangled and snake.cells & flipped
        )

    def is_legal(self, turn: str) -> bool:
        # Of one position mostly one turn is asked for: quicker than a set, which would have to be made first.
        return turn in self.legal_turns

    # Taking a turn

    def take_turn(self, turn: str) -> tuple[Self, tuple[Event, ...]]:
        mover = self.turn_of
        if turn == PASS:
            passing = self.changed(turn_of=mover.other, passed=True)
            return (passing.ended() if self.passed else passing), (Passed(mover),)
        first, _, last = turn.partition("-")
        run = _cells_between(self.board, self.named(first), self.named(last or first))
        placed = sum([1 << cell for cell in run])
        own, enemy = self.stones(mover) | placed, self.stones(mover.other) & ~placed
        black, white = (enemy, own) if mover else (own, enemy)
        after = self.changed(first=black, second=white, turn_of=mover.other, passed=False)
        # All other snakes are still what they were, so they need not be found again.
        snakes = self._own_snakes_after(placed), self._enemy_snakes_after(placed)
        vars(after)["_snakes"] = snakes if mover is Side.FIRST else snakes[::-1]
        return after, self._events(run, placed)

    def _own_snakes_after(self, placed: int) -> tuple[Snake, ...]:
        near, snakes = self.board.spread(placed), self.snakes(self.turn_of)
        joined = placed | sum(snake.cells for snake in snakes if snake.cells & near)
        return (*(snake for snake in snakes if not snake.cells & near), Snake.of(joined, self.board))

    def _enemy_snakes_after(self, placed: int) -> tuple[Snake, ...]:
        after: list[Snake] = []
        for snake in self.snakes(self.turn_of.other):
            if snake.cells & placed:
                after += (Snake.of(part, self.board) for part in self.board.groups(snake.cells & ~placed))
            else:
                after.append(snake)
        return tuple(after)

    def _events(self, run: tuple[int, ...], placed: int) -> tuple[Event, ...]:
        """What the run does from its first cell to its last; each unbroken stretch of enemy stones is flipped at once.

        The stones that flip are those that the run places.
        """
        mover, enemy = self.turn_of, placed & self.stones(self.turn_of.other)
        if not enemy:
            return tuple([_placed(mover, cell) for cell in run])
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
            events.append(_placed(mover, cell))
        return tuple(events)

    # The end of the game

    def ended(self) -> Self:
        """This position as the end of the game, after the second of two passes in a row."""
        winner = self.leader()
        if winner is not None:
            return self.changed(outcome=Outcome(winner, Reason.SNAKES))
        # Turns alternate, so the side that passed second, which is not to play now, also was the last to place. (Were
        # there no run in the whole game, that is White, whose egg was placed last.)
        return self.changed(outcome=Outcome(self.turn_of.other, Reason.LAST_PLACED))

    def leader(self) -> Side | None:
        """The side whose snakes would win by their lengths now; None when the lengths are equal.

        Standard: more snakes of the greatest length; if equal, of the next, and so on. Variant ``reverse``: fewer of
        the shortest length, and so on upward.
        """
        black, white = self.lengths(Side.FIRST), self.lengths(Side.SECOND)
        reverse = self.ruleset.variant == "reverse"
        for length in sorted({*black, *white}, reverse=not reverse):
            more = black.count(length) - white.count(length)
            if more:
                return Side.FIRST if (more > 0) is not reverse else Side.SECOND
        return None

    def pieces(self) -> dict[str, str]:
        return {
            self.board.name(cell): letter
            for letter, stones in (("b", self.first), ("w", self.second))
            for cell in bits(stones)
        }

    def score(self) -> dict[str, int | float | list[int]]:
        """The lengths of each side's snakes, longest first."""
        return {self.sides[side]: self.lengths(side) for side in Side}

    # Why a turn is refused

    def turn_refusal(self, turn: str) -> TurnError:
        if turn == PASS:
            return IllegalTurn("you can pass only when you have no legal run", rule=_PASSING)
        try:
            run = self._run(turn)
        except TurnError as error:
            return error
        # One and the same snake has to satisfy the first conditions; the one that comes furthest explains most.
        conditions = (self._start, self._start_room, self._flips, self._growing_or_merging, self._stop_after_merging)
        furthest, reason = -1, IllegalTurn("you have no snake", rule=_RUN)
        for snake in self.snakes(self.turn_of):
            refusals = ((number, condition(snake, run)) for number, condition in enumerate(conditions))
            number, refusal = next((each for each in refusals if each[1] is not None), (len(conditions), None))
            if refusal is None:
                break
            if number > furthest:
                furthest, reason = number, refusal
        else:
            return reason
        refusal = self._edge(run) or self._snakes_stay_snakes(run)
        if refusal is None:
            raise AssertionError(f"{turn} is a legal run")
        return refusal

    def _run(self, turn: str) -> _Run:
        """The run of that name. Raises a :class:`TurnError` when it is none, wherever the snakes are."""
        names = turn.split("-")
        if len(names) > 2 or "" in names:
            shown = turn if len(turn) <= 20 else turn[:20] + "…"
            raise NotATurn("“{text}” is not a turn; {example}", text=shown, example=self.example)
        first, last = self.named(names[0]), self.named(names[-1])
        if len(names) == 2 and first == last:
            raise NotATurn("a run of one cell is written as that cell alone: {cell}", cell=names[0])
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
        # A step back from the first cell, in the direction that leads to the second.
        before = None if len(cells) == 1 else 2 * cells[0] - cells[1]
        return _Run(cells, before if before in self.board.neighbours else None, flipped)

    def _names(self, cells: tuple[int, ...] | int) -> str:
        return cell_names(self.board, cells)

    def _start(self, snake: Snake, run: _Run) -> IllegalTurn | None:
        """Start: next to a head, tail or egg, or, when it begins with a cut, straight on from one."""
        first = run.cells[0]
        if first not in run.flipped:
            if snake.front >> first & 1:
                return None
            reason = later("a run starts next to a head, tail or egg of yours, but {cell} is not next to one")
        elif self._runs_on_from(snake, run):
            return None
        else:
            reason = later(
                "a run that begins with a cut runs straight on from a head, tail or egg of yours, "
                "but there is none just before {cell}"
            )
        return IllegalTurn(
            reason, (first,), cell=self._names((first,)), rule=_START if first not in run.flipped else _CUTTING
        )

    def _start_room(self, snake: Snake, run: _Run) -> IllegalTurn | None:
        """Start: next to one or two stones of the snake, when it starts on an empty cell."""
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
            (later("{cell} is an egg, which cannot be cut"), self.eggs(enemy)),
            (later("{cell} is a head or tail, which cannot be cut"), self.ends(enemy)),
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
        others = self._around.other_than(snake)
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
            later("the run touches another snake of yours at {cell}, so it has to stop at {stop}")
            if len(stops) == 1
            else later("the run touches another snake of yours at {cell}, so it has to stop at {stop} or {behind}")
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
            (later("your snake"), self._own_snakes_after(placed)),
            (_A_SNAKE[self.turn_of.other], self._enemy_snakes_after(placed)),
        ):
            for snake in snakes:
                if not snake.is_well_formed:
                    return IllegalTurn(
                        self._ends_of(snake, Text(whose)), tuple(bits(snake.ends or snake.cells)), rule=_SNAKES
                    )
        return None

    def _ends_of(self, snake: Snake, whose: Text) -> Text:
        """What is wrong with the ends of a snake that is no snake any more."""
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


def _without_spaces(opening: str) -> str:
    """An opening that somebody typed, in lower case and without spaces at its ends and around commas."""
    return ",".join(name.strip() for name in opening.lower().split(","))
