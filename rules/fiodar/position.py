"""A position of Fiodar; each term of ``rules/fiodar/rules.md`` is a method of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import ClassVar, NamedTuple, Self, TypeAlias

from rules.board import Board, bits, cell_names
from rules.errors import IllegalTurn
from rules.events import Captured, Event, Passed, Territory, placement
from rules.lazy import lazy
from rules.position import SCORE, Outcome, ScorePart, Sections, TerritorialPosition, Weight
from rules.side import Side
from rules.text import Text, gettext_noop

_REPETITION = "repetition"

#: The stones of the first and the second side, compared to recognise a repeated board.
Stones: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Thread:
    """A maximal run of stones of one colour along a line; it may be a single stone.

    ``stones`` is its mask, ``direction`` (0, 1 or 2) its line as in :attr:`Board.directions`, and ``beyond`` are the
    points of the board just beyond its two ends.
    """

    stones: int
    direction: int
    beyond: tuple[int, ...]


class Sights(NamedTuple):
    """The views along the lines across stones of a side, which show where its threads are or would be cut.

    Each mask holds the first side's points and, :func:`_apart` bits above them, the second side's. Points off the board
    may be among them.
    """

    #: For each direction, the points from which an enemy stone is seen across at least one stone: an enemy stone on
    #: such an empty point cuts that thread.
    ways: tuple[int, ...]
    #: For each line, the points from which an enemy stone is seen both ways. A stone there is in a cut thread; on an
    #: empty point there, a stone of the side would be.
    lines: tuple[int, ...]
    #: The stones that are in no cut thread.
    uncut: int
    #: The stones without an enemy stone just beyond any of their threads: one more enemy stone cuts none of these.
    no_enemy_beyond: int


@dataclass(frozen=True)
class Fiodar(TerritorialPosition):
    """A position of Fiodar.

    ``ends`` are the boards at the end of each turn so far, passes included. ``passed_first`` is set while the last turn
    is a pass: the side that passed, and after two passes the first of them.
    """

    ends: tuple[Stones, ...] = ()
    passed_first: Side | None = None

    name: ClassVar[str] = "fiodar"
    title: ClassVar[str] = "Fiodar"
    version: ClassVar[int] = 1
    sizes: ClassVar[tuple[int, ...]] = (5, 7)
    default_size: ClassVar[int] = 7
    variants: ClassVar[tuple[str, ...]] = (gettext_noop("standard"),)
    sides: ClassVar[tuple[str, str]] = (gettext_noop("black"), gettext_noop("white"))
    goals: ClassVar[Mapping[str, str]] = {
        "standard": gettext_noop(
            "You win with the empty points that you surround and the stones that you capture. Each turn, place a "
            "stone; you capture stones by blocking their rows at both ends."
        )
    }
    minutes: ClassVar[int] = 20
    weight: ClassVar[Weight] = Weight.MEDIUM
    has_draws: ClassVar[bool] = True
    reasons: ClassVar[Mapping[str, str]] = {
        SCORE: gettext_noop("on points"),
        _REPETITION: gettext_noop("by repetition"),
    }
    opening_rule: ClassVar[str] = gettext_noop("Opening: the first player places a {first} stone on any point.")
    sections: ClassVar[Sections] = Sections(
        "fiodar/rules.md#beginning", "fiodar/rules.md#your-turn", "fiodar/rules.md#the-end"
    )
    a_piece: ClassVar[tuple[str, str]] = (gettext_noop("a black stone"), gettext_noop("a white stone"))

    def threads(self, side: Side) -> list[Thread]:
        """The side's threads; every stone is in one thread of each direction."""
        stones, board = self.stones(side), self.board
        threads = []
        for direction in range(3):
            for start in bits(stones & ~board.shift(stones, direction)):
                run = 1 << start | board.stretch(start, direction, stones)
                tips = (start, direction + 3), (run.bit_length() - 1, direction)
                beyond = (board.rays[tip][outward][:1] for tip, outward in tips)
                threads.append(Thread(run, direction, tuple(cell for cells in beyond for cell in cells)))
        return threads

    def cut_threads(self, side: Side) -> list[Thread]:
        """The side's threads with an enemy stone just beyond each of their two ends."""
        enemy = self.stones(side.other)
        return [
            thread
            for thread in self.threads(side)
            if len(thread.beyond) == 2 and all(enemy >> cell & 1 for cell in thread.beyond)
        ]

    def weaves(self, side: Side) -> list[int]:
        """The side's weaves: maximal connected sets of its stones, each a mask."""
        return list(self.board.groups(self.stones(side)))

    def cut_weaves(self, side: Side) -> list[int]:
        """The side's weaves whose stones are all in cut threads, each a mask."""
        return list(self.board.groups(self._cut_stones[side]))

    def territory(self, side: Side) -> int:
        """The mask of the side's territories: connected empty points beside its stones and no enemy stone."""
        own, enemy = (
            self.board.flood(self.board.spread(stones), self.empty) for stones in map(self.stones, (side, side.other))
        )
        return own & ~enemy

    def uncut(self, side: Side) -> int:
        """The mask of the side's stones that are in no cut thread."""
        return self._sights.uncut >> _apart(self.board) * side & self.board.mask

    def cut_along(self, side: Side, direction: int) -> int:
        """The mask of the side's stones in cut threads of that direction, 0, 1 or 2."""
        return self._sights.lines[direction] >> _apart(self.board) * side & self.stones(side)

    def no_enemy_beyond(self, side: Side) -> int:
        """The mask of the side's stones with no enemy stone just beyond a thread: one more cuts none of these."""
        return self._sights.no_enemy_beyond >> _apart(self.board) * side & self.board.mask

    def between(self, side: Side) -> int:
        """The mask of the empty points where a stone of the side would be in a cut thread."""
        a, b, c = self._sights.lines
        return (a | b | c) >> _apart(self.board) * side & self.empty

    @lazy
    def _sights(self) -> Sights:
        apart = _apart(self.board)
        stones, enemies = self.first | self.second << apart, self.second | self.first << apart
        ahead, behind, lines, between, seeing = [], [], [], 0, 0
        for offset in self.board.directions[:3]:
            up, down = enemies >> offset, enemies << offset
            over, passed = 0, up & stones
            while passed:
                passed >>= offset
                over |= passed
                passed &= stones
            ahead.append(over)
            up |= over
            over, passed = 0, down & stones
            while passed:
                passed <<= offset
                over |= passed
                passed &= stones
            behind.append(over)
            down |= over
            lines.append(up & down)
            between |= up & down
            seeing |= up | down
        return Sights((*ahead, *behind), tuple(lines), stones & ~between, stones & ~seeing)

    @lazy
    def _cut_stones(self) -> Stones:
        """The stones of each side's cut weaves, which are connected to no uncut stone."""
        apart = _apart(self.board)
        stones = self.first | self.second << apart
        cut = stones & ~self.board.flood(self._sights.uncut, stones)
        return cut & self.board.mask, cut >> apart

    def placements(self, side: Side) -> int:
        """The empty points where a stone neither leaves the side cut nor repeats its previous board."""
        return self.empty & ~(self._cutting(side) | self._repeating(side))

    def _cutting(self, side: Side) -> int:
        """The empty points where a stone of the side would remove nothing and leave a weave of its own cut."""
        board, own = self.board, self.stones(side)
        if self._cut_stones[side]:
            # A weave of the side is already cut, after a capture and a pass by the enemy; most stones leave it cut.
            cutting = sum(1 << cell for cell in bits(self.empty) if self._left_cut(side, cell))
        else:
            doubtful = self._doubtful(side)
            # A stone that joins no other frees no weave, and is a cut weave itself.
            joining = doubtful & board.spread(own)
            cutting = doubtful & ~joining
            uncut = self._sights.uncut >> _apart(board) * side
            for cell in bits(joining):
                # An uncut stone that is not in line with the point stays uncut; one is usually found soon.
                staying = uncut & ~board.in_line[cell]
                weave = _flood_until(board, board.neighbours[cell] & own, own, staying)
                if not weave & staying and not weave & self._left_uncut(side, cell):
                    cutting |= 1 << cell
        return cutting & ~self._removing(side, cutting) if cutting else 0

    def _doubtful(self, side: Side) -> int:
        """The empty points where a stone of the side would be in a cut thread, without an obviously uncut stone beside
        it.

        A stone changes only the threads that it joins. So without a cut weave, the side can get one only from these
        points.
        """
        above, lines, offsets = _apart(self.board) * side, self._sights.lines, self.board.directions
        own = self.stones(side) << above
        between = held = 0
        for line, here in enumerate(lines):
            between |= here
            # Stones beside the point on this line without a cut thread on the other two lines.
            firm = own & ~(lines[line - 1] | lines[line - 2])
            held |= (firm << offsets[line] | firm >> offsets[line]) & ~here
        return self.empty & (between & ~held) >> above

    def _newly_cut(self, side: Side, cell: int) -> int:
        """The enemy stones in the threads that a stone of the side on this empty point would cut."""
        board, stones = self.board, self.stones(side.other)
        at = 1 << cell + _apart(board) * side.other
        cut = 0
        for direction, points in enumerate(self._sights.ways):
            if points & at:
                cut |= board.stretch(cell, direction, stones)
        return cut

    def _removing(self, side: Side, among: int) -> int:
        """The empty points in ``among`` where a stone of the side would remove an enemy weave."""
        enemy, board = side.other, self.board
        if self._cut_stones[enemy]:
            return among
        stones, above = self.stones(enemy), _apart(board) * enemy
        (a, b, c, d, e, f), _, uncut, no_enemy_beyond = self._sights
        uncut >>= above
        among &= (a | b | c | d | e | f) >> above
        aimed = 0
        for cell in bits(among):
            aimed |= board.in_line[cell]
        # A single uncut stone that none of these points can cut saves its weave: a stone in line with none of them, or
        # without an enemy stone beyond its threads.
        weak = stones & ~board.flood(no_enemy_beyond >> above | uncut & ~aimed, stones) if among else 0
        if not weak:
            return 0
        uncut &= weak
        removing = 0
        for cell in bits(among & board.spread(weak)):
            left = uncut & ~self._newly_cut(side, cell)
            if left != uncut and board.flood(left, weak) != weak:
                removing |= 1 << cell
        return removing

    def _left_cut(self, side: Side, cell: int) -> int:
        """The side's stones in weaves that stay cut after it places on this empty point, if nothing is removed."""
        board, joined = self.board, self.stones(side) | 1 << cell
        return joined & ~board.flood(self._left_uncut(side, cell), joined)

    def _left_uncut(self, side: Side, cell: int) -> int:
        """The side's stones in no cut thread after it places on this empty point, if nothing is removed."""
        own, above, placed = self.stones(side), _apart(self.board) * side, 1 << cell
        uncut = self._sights.uncut >> above | placed
        at = placed << above
        for line, points in enumerate(self._sights.lines):
            if points & at:
                uncut &= ~(placed | self.board.stretch(cell, line, own) | self.board.stretch(cell, line + 3, own))
        return uncut

    def _repeating(self, side: Side) -> int:
        """The empty point where a stone of the side would repeat the board after its previous turn; usually none.

        It can only be the point of a single stone that the side has lost since.
        """
        back = 2 if side is self.turn_of else 1
        if len(self.ends) < back:
            return 0
        previous = self.ends[-back]
        lost = previous[side] & ~(self.first | self.second)
        if lost.bit_count() != 1:
            return 0
        placed = self.with_stones(side, self.stones(side) | lost, self.stones(side.other), side.other)
        cut = sum(placed.cut_weaves(side.other))
        return lost if (placed.first & ~cut, placed.second & ~cut) == previous else 0

    def placement_refusal(self, side: Side, cell: int) -> IllegalTurn:
        if self._repeating(side) >> cell & 1:
            return IllegalTurn(
                "this would repeat the board after your previous turn",
                (cell,),
                rule="fiodar/rules.md#bringing-back-the-board",
            )
        left = self._left_cut(side, cell)
        reason = Text.counted(
            "{cell} would leave your weave cut: {stones}",
            "{cell} would leave your weaves cut: {stones}",
            len(list(self.board.groups(left))),
            cell=self.board.name(cell),
            stones=cell_names(self.board, left),
        )
        return IllegalTurn(reason, tuple(bits(left)), rule="fiodar/rules.md#leaving-your-own-weave-cut")

    def open(self, turn: str) -> tuple[Self, tuple[Event, ...]]:
        opened, events = super().open(turn)
        return opened.changed(ends=((opened.first, opened.second),)), events

    def place(self, cell: int) -> tuple[Self, tuple[Event, ...]]:
        mover, enemy = self.turn_of, self.turn_of.other
        events: list[Event] = [placement(mover, cell)]
        own, others = self.stones(mover) | 1 << cell, self.stones(enemy)
        position = self._turn_over(own, others)
        if (
            not self._cut_stones[enemy]
            and not self._newly_cut(mover, cell) & self._sights.uncut >> _apart(self.board) * enemy
        ):
            # No further enemy stone is cut, and a legal placement that removes nothing leaves no own weave cut.
            position.__dict__["_cut_stones"] = 0, 0  # saves computing it
        elif removed := position.cut_weaves(enemy):
            events += [Captured(mover, tuple(bits(weave))) for weave in removed]
            prisoners = sum(removed)
            position = self._turn_over(own, others & ~prisoners, prisoners.bit_count())
        # A legal placement never repeats the board after the mover's previous turn; an older board means a draw.
        if position.ends[-1] in self.ends[-2::-2]:
            position = position.changed(outcome=Outcome(None, _REPETITION))
        return position, tuple(events)

    def pass_turn(self) -> tuple[Self, tuple[Event, ...]]:
        mover, passed_before = self.turn_of, self.passed_first
        position = self._turn_over(self.stones(mover), self.stones(mover.other))
        if passed_before is None:
            return position.changed(passed_first=mover), (Passed(mover),)
        position = position.changed(passed_first=passed_before)
        territories = [
            Territory(side, tuple(bits(territory)))
            for side in Side
            for territory in self.board.groups(self.territory(side))
        ]
        # Only one side gets the half point, so the scores always differ.
        return position.changed(outcome=Outcome(position.leader(), SCORE)), (Passed(mover), *territories)

    def _turn_over(self, own: int, enemy: int, captured: int = 0) -> Self:
        """The position after the turn of the side to play, with these stones of its own and of its enemy."""
        first, second = (enemy, own) if self.turn_of else (own, enemy)
        by_first, by_second = self.prisoners
        return self.changed(
            first=first,
            second=second,
            turn_of=self.turn_of.other,
            prisoners=(by_first, by_second + captured) if self.turn_of else (by_first + captured, by_second),
            ends=(*self.ends, (first, second)),
            passed_first=None,
        )

    def points(self, side: Side) -> int | float:
        """The points of own territory, the prisoners, and ½ for the first to pass while the last turn is a pass."""
        points = self.territory(side).bit_count() + self.prisoners[side]
        return points + 0.5 if self.passed_first is side else points

    def score_parts(self) -> tuple[ScorePart, ...]:
        if self.outcome is None or self.outcome.reason != SCORE:
            return ()
        return (
            ScorePart(Text("territory"), *(self.territory(side).bit_count() for side in Side)),
            ScorePart(Text("prisoners"), *self.prisoners),
            ScorePart(Text("passed first"), *(0.5 * (self.passed_first is side) for side in Side)),
        )


@cache
def _apart(board: Board) -> int:
    """The number of bits between the two sides' points in :class:`Sights`, enough to keep shifts apart."""
    return board.mask.bit_length() + max(board.directions)


def _flood_until(board: Board, seed: int, within: int, goal: int) -> int:
    """:meth:`Board.flood` of a seed in ``within``, stopped as soon as it reaches a cell of ``goal``."""
    row, diagonal, _, *_ = board.directions
    reached = 0
    while seed != reached and not seed & goal:
        reached = seed
        seed |= (seed << 1 | seed >> 1 | seed << row | seed >> row | seed << diagonal | seed >> diagonal) & within
    return seed
