"""The snakes of Nadraz, and a search for legal runs that does not try every run on the board."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from typing import TypeAlias

from rules.board import Board, bits


@dataclass(slots=True, unsafe_hash=True)  # never changed, but constructing a frozen class takes twice as long
class Snake:
    """A maximal connected set of stones of one colour; all attributes up to ``dock`` are masks."""

    cells: int
    #: The head and the tail: the stones with exactly one adjacent stone of the snake. An egg has none.
    ends: int
    #: Where it can grow: its ends, or the egg.
    tips: int
    #: The other cells next to at least one of its stones, to at least two, and to at least three.
    beside: int
    beside_two: int
    beside_three: int
    #: The other cells next to a tip.
    front: int
    #: The cells in front of only one tip, next to at most two stones: a run that starts or ends there keeps the other
    #: end.
    dock: int
    #: Whether it touches itself: a stone has three adjacent ones. Otherwise it is a plain line.
    tangled: bool
    #: The cuts tried on it so far, and whether they leave snakes.
    cuts: dict[int, bool] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def of(cls, cells: int, on: Board) -> Snake:
        """Return the snake of these stones, which are connected."""
        a, b, c, *_ = on.directions
        once, moved = cells << a, cells >> a
        twice, thrice = once & moved, 0
        once |= moved
        for moved in (cells << b, cells >> b, cells << c, cells >> c):
            thrice |= twice & moved
            twice |= once & moved
            once |= moved
        ends, others = cells & once & ~twice, on.mask & ~cells
        tips = ends if once & cells else cells
        front, both = on.contacts(tips)
        dock = front & others & ~both & ~thrice
        beside = once & others, twice & others, thrice & others
        return cls(cells, ends, tips, *beside, front & others, dock, bool(thrice & cells))

    @classmethod
    def grown(cls, run: int, joined: list[Snake], on: Board) -> Snake:
        """Return the snake that a run forms with the snakes that it touches."""
        cells = run
        for old in joined:
            cells |= old.cells
        snake = cls.of(cells, on)
        for old in joined:
            if not old.cuts or not snake.is_well_formed:
                continue
            touched = on.spread(run) & old.cells
            # If it grew at one end only, a cut elsewhere leaves the same numbers of snakes and ends as before.
            at_one_end = (touched & old.ends).bit_count() == (old.ends & ~touched).bit_count() == 1
            if at_one_end and on.flood(touched & -touched, touched) == touched:
                touched |= on.spread(touched)
                snake.cuts.update((cut, well) for cut, well in old.cuts.items() if not cut & touched)
        return snake

    @property
    def length(self) -> int:
        return self.cells.bit_count()

    @property
    def is_egg(self) -> bool:
        return not self.cells & (self.cells - 1)

    @property
    def is_well_formed(self) -> bool:
        """Whether it is an egg or has exactly two ends."""
        return self.is_egg or self.ends.bit_count() == 2

    def falls_into_snakes(self, cut: int, on: Board) -> bool:
        """Whether every part left by a cut, which takes no end, is an egg or has exactly two ends."""
        if not self.tangled:
            return True  # A plain line falls into plain lines and eggs.
        well = self.cuts.get(cut)
        if well is None:
            well = self.cuts[cut] = _are_snakes(self.cells & ~cut, cut, on)
        return well


def _are_snakes(stones: int, cut: int, on: Board) -> bool:
    """Whether each connected part of the stones that a cut left of a snake is an egg or has exactly two ends."""
    once, twice = on.contacts(stones)
    rest = stones & once  # without the eggs
    ends = rest & ~twice
    if ends.bit_count() % 2:
        return False
    # Every part has a stone next to the cut, so the parts are found from there, the last without a search.
    seams = on.spread(cut) & rest
    if not ends or on.flood(seams & -seams, seams) == seams:
        return not rest or ends.bit_count() == 2
    while seams & seams - 1:
        part = on.flood(seams & -seams, rest)
        if (part & ends).bit_count() != 2:
            return False
        seams, rest = seams & ~part, rest & ~part
    return not rest or (rest & ends).bit_count() == 2


class Runs:
    """The search for the legal runs of the ``snakes`` of one side against the ``enemies``.

    A run is named by its first and its last cell, or by its only cell.
    """

    def __init__(self, on: Board, snakes: Iterable[Snake], enemies: Iterable[Snake]) -> None:
        self._on = on
        stones = tips = beside = several = more = two_stones = three_stones = front = docks = both_docks = 0
        for snake in snakes:
            stones |= snake.cells
            tips |= snake.tips
            more |= several & snake.beside
            several |= beside & snake.beside
            beside |= snake.beside
            two_stones |= snake.beside_two
            three_stones |= snake.beside_three
            front |= snake.front
            both_docks |= docks & snake.dock
            docks |= snake.dock
        enemy_stones = enemy_tips = 0
        for snake in enemies:
            enemy_stones |= snake.cells
            enemy_tips |= snake.tips
        #: The side's snakes, each with the cells next to its other snakes.
        self._snakes = [(snake, several | beside & ~snake.beside) for snake in snakes]
        self._tangled = [snake for snake in enemies if snake.tangled]
        self._stones, self._tips, self._cuttable = stones, tips, enemy_stones & ~enemy_tips
        self._empty = on.mask & ~(stones | enemy_stones)
        #: The empty cells that are not edge cells: where a run that flips nothing may put its stones.
        self._inner = self._empty & ~on.edge
        #: The inner cells that are next to none of the side's snakes.
        self._free = self._inner & ~beside
        #: The cells next to at least one of the side's snakes, and to at least two.
        self._beside, self._several = beside, several
        #: The inner cells next to a head, tail or egg, but not to three stones of one snake: starts of runs that flip
        #: nothing.
        self._starts = self._inner & front & ~three_stones
        #: The cells next to only one snake and in its ``dock``, and cells in the docks of exactly two snakes.
        self._docks, self._both_docks = docks & ~several, both_docks & ~more
        #: The cells next to only one stone.
        self._single = beside & ~(two_stones | several)

    def names(self) -> list[str]:
        """The legal runs."""
        found = self._on.names(self._of_one_cell(self._starts))
        for snake, others in self._snakes:
            # A run that also starts next to another snake would have to stop there.
            for first in bits(self._starts & snake.beside & ~others):
                found += self._without_cuts(snake, others, first)
        for direction, offset in enumerate(self._on.directions):
            # Few tips see, across empty cells, stones to cut with an empty cell behind them. All are found at once.
            cut = leading(self._empty, self._cuttable, offset)
            seen = cut | leading(cut, self._empty, offset)
            before = seen >> offset if offset > 0 else seen << -offset
            for snake, others in self._snakes:
                for tip in bits(snake.tips & before) if snake.tips & before else ():  # usually none
                    found += self._with_cuts(snake, others, tip, direction)
        return found

    @property
    def origins(self) -> int:
        """The mask of the cells for :meth:`from_origin`; every legal run has exactly one of these origins."""
        return self._starts | self._tips

    def from_origin(self, cell: int) -> list[str]:
        """The legal runs that start on an empty cell, or the cuts straight on from a tip."""
        origin = 1 << cell
        if self._starts & origin:
            found = [self._on.name(cell)] if self._of_one_cell(origin) else []
            for snake, others in self._snakes:
                if snake.beside & origin & ~others:
                    found += self._without_cuts(snake, others, cell)
            return found
        found = []
        for snake, others in self._snakes:
            if snake.tips & origin:
                for direction in self._on.crossing(cell, self._cuttable, self._empty):
                    found += self._with_cuts(snake, others, cell, direction)
        return found

    def __contains__(self, name: str) -> bool:
        """Whether a run is legal."""
        first = self._on.find(name.partition("-")[0])
        if first is None:
            return False
        origins = self._starts & 1 << first | self._tips & self._on.neighbours[first]
        return any(name in self.from_origin(cell) for cell in bits(origins))

    def _of_one_cell(self, starts: int) -> int:
        """The mask of the starts on which a run of one stone is legal."""
        # Next to a tip and no other stone, the new stone is the new end. Next to more stones of a single snake, it
        # would only close that end. Next to several snakes, it merges them, legally if there are two and each keeps its
        # other end.
        found = starts & (self._single | self._both_docks)
        for cell in bits(starts & self._several & ~self._both_docks):
            if self._joins_well(1 << cell, 1 << cell):
                found |= 1 << cell
        return found

    def _without_cuts(self, snake: Snake, others: int, first: int) -> list[str]:
        """Growing or merging by two stones or more: in any direction, over empty cells, and never to the edge."""
        on, inner, free, found = self._on, self._inner, self._free, list[str]()
        # The run's last cell becomes an end, so exactly one other must remain: the end that it did not start from, or
        # the egg, which it must not touch again.
        left = snake.ends & ~on.neighbours[first] if snake.ends else snake.tips
        closing = on.neighbours[left.bit_length() - 1] if left else 0
        for direction, straight in enumerate(_runs_beyond(on, first)):
            grows = bool(left)
            for last, name in straight:
                if free & last:
                    if grows:
                        found.append(name)
                elif not inner & last:
                    break
                elif others & last:
                    run = 1 << first | on.stretch(first, direction, ~last) | last
                    if self._merges(snake, run, last, keeps_end=grows):
                        found.append(name)
                    break
                elif closing & last:
                    grows = False
        return found

    def _with_cuts(self, snake: Snake, others: int, tip: int, direction: int) -> list[str]:
        """Runs that flip something: straight on from a head, tail or egg."""
        if (self._empty & snake.beside_three) >> tip + self._on.directions[direction] & 1:
            return []
        well: dict[int, bool] = {}
        found = []
        for flipped, name in self._straight_on(snake, others, tip, direction):
            if flipped not in well:
                well[flipped] = self._cuts_well(flipped)
            if well[flipped]:
                found.append(name)
        return found

    def _straight_on(self, snake: Snake, others: int, tip: int, direction: int) -> list[tuple[int, str]]:
        """The cuts straight on from a tip that stop at a legal cell: the stones that they flip, and names.

        A run has to stop at the first cell next to another friendly snake, or just after the enemy stones there. The
        remains of cut snakes are not checked here.
        """
        empty, cuttable, beside = self._empty, self._cuttable, self._beside
        left = snake.tips ^ 1 << tip
        closing = self._on.neighbours[left.bit_length() - 1] if left else 0
        found = []
        run = flipped = 0
        keeps_end, behind_enemy, meets = True, False, False
        for last, name in _runs_ahead(self._on, tip)[direction]:
            run |= last
            met_before, touches = meets, beside & last
            if touches:
                meets = meets or bool(others & last)
                keeps_end = keeps_end and not closing & last
            if cuttable & last:
                flipped |= last
                behind_enemy = True
                continue
            if not empty & last or (met_before and not behind_enemy):
                break
            if flipped and meets:
                if self._merges(snake, run, last, keeps_end=keeps_end and not met_before):
                    found.append((flipped, name))
            elif flipped and keeps_end and not touches:
                found.append((flipped, name))  # the last cell is the new end
            if met_before:
                break
            behind_enemy = False
        return found

    def _merges(self, snake: Snake, run: int, last: int, *, keeps_end: bool) -> bool:
        """Whether a run legally merges its snake with others: it touches at most two stones of each and leaves two
        ends.

        ``last`` is the mask of its last cell. With ``keeps_end``, the snake keeps its other end, and only the last cell
        is next to others.
        """
        if keeps_end and not self._several & last:
            return bool(self._docks & last)  # one other snake, which also keeps one end
        if not self._joins_well(run, last):
            return False
        return not any(other.beside_three & last for other, _ in self._snakes if other is not snake)

    def _joins_well(self, run: int, last: int) -> bool:
        """Whether the run and all friendly snakes that it touches become one snake with two ends."""
        near = self._on.spread(run)
        # The first of several cells touches the second and a stone of the snake; cells in between touch two of the run.
        beside_last = self._on.neighbours[last.bit_length() - 1]
        ends = int((beside_last & (self._stones | run)).bit_count() == 1)
        for snake, _ in self._snakes:
            if snake.cells & near:
                # A head or tail that the run touches is no longer an end; an egg is one if a single cell touches it.
                ends += (snake.ends & ~near).bit_count() if snake.ends else (snake.beside & run).bit_count() == 1
        return ends == 2

    def _cuts_well(self, flipped: int) -> bool:
        """Whether all remaining parts of the enemy's cut snakes are eggs or have two ends."""
        return all(snake.falls_into_snakes(cut, self._on) for snake in self._tangled if (cut := snake.cells & flipped))


#: The runs in one direction, shortest first: the mask of each one's last cell, and its name.
_Straight: TypeAlias = tuple[tuple[int, str], ...]


@cache
def _runs_beyond(on: Board, first: int) -> tuple[_Straight, ...]:
    """For each direction, the runs of two cells and more from that first cell."""
    return tuple(tuple((1 << last, f"{on.name(first)}-{on.name(last)}") for last in ray) for ray in on.rays[first])


@cache
def _runs_ahead(on: Board, tip: int) -> tuple[_Straight, ...]:
    """For each direction, the runs straight on from the tip, which begin on the cell next to it."""
    return tuple(
        ((1 << tip + offset, on.name(tip + offset)), *_runs_beyond(on, tip + offset)[direction]) if ray else ()
        for direction, (offset, ray) in enumerate(zip(on.directions, on.rays[tip], strict=True))
    )


def leading(to: int, over: int, offset: int) -> int:
    """The cells of ``over`` from which repeating the offset, within ``over``, leads to a cell of ``to``."""
    found = 0
    if offset > 0:
        while to := to >> offset & over:
            found |= to
    else:
        while to := to << -offset & over:
            found |= to
    return found
