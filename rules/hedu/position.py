"""A position of Hedu; each term of ``rules/hedu/rules.md`` is a method of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter
from typing import ClassVar, NamedTuple, Self, TypeAlias

from rules.board import Board, bits, cell_names
from rules.errors import IllegalTurn
from rules.events import CellEvent, Event, Passed, Territory, placement
from rules.lazy import by_side, lazy
from rules.position import SCORE, Outcome, ScorePart, Sections, TerritorialPosition, Weight
from rules.side import Side
from rules.text import Text, gettext_noop


@dataclass(frozen=True, slots=True)
class HeightChange(CellEvent):
    """The height of the stack of ``side`` on ``cell`` changed."""

    before: int
    after: int

    @property
    def amount(self) -> int:
        return abs(self.after - self.before)


@dataclass(frozen=True, slots=True)
class Reduced(HeightChange):
    """The stack of ``side`` on ``cell`` became lower and gave the enemy prisoners; at height 0, it left the board."""

    @property
    def loser(self) -> Side:
        return self.side

    @property
    def takes_pieces(self) -> bool:
        return self.after == 0

    @classmethod
    def effect(cls, amount: int) -> Text:
        return Text.counted("takes {count} prisoner", "takes {count} prisoners", amount)

    @classmethod
    def loss(cls, amount: int, loser: Side, reader: Side | None = None) -> Text:
        if reader is loser.other:
            return Text.counted("gives you {count} prisoner", "gives you {count} prisoners", amount)
        side = Hedu.side_name(loser.other)
        return Text.counted("gives {side} {count} prisoner", "gives {side} {count} prisoners", amount, side=side)


@dataclass(frozen=True, slots=True)
class Raised(HeightChange):
    """The stack of ``side`` on ``cell`` became higher."""

    @classmethod
    def growth(cls, amounts: Mapping[Side, int]) -> Text:
        (side, count), *others = amounts.items()
        name = Hedu.side_name(side)
        if not others:
            return Text.counted(
                "{side}'s stacks grow by {count} level", "{side}'s stacks grow by {count} levels", count, side=name
            )
        ((other, more),) = others
        return Text.counted(
            "{side}'s stacks grow by {count} level, {other}'s by {more}",
            "{side}'s stacks grow by {count} levels, {other}'s by {more}",
            count,
            side=name,
            other=Hedu.side_name(other),
            more=more,
        )


class Heights(NamedTuple):
    """The heights of stacks: masks of the stacks at least one, at least two, and three high.

    A stack touches at most three regions, because it has six cells around it and regions never touch.
    """

    one: int
    two: int
    three: int

    def of(self, cell: int) -> int:
        """The height of the stack on that cell; 0 when there is none."""
        return (self.one >> cell & 1) + (self.two >> cell & 1) + (self.three >> cell & 1)

    @property
    def cells(self) -> int:
        return self.one | self.two | self.three

    def __sub__(self, other: Heights) -> Heights:
        """The levels of each stack that ``other`` lacks."""
        return Heights(self.one & ~other.one, self.two & ~other.two, self.three & ~other.three)

    def __or__(self, other: Heights) -> Heights:
        """The greater height of each stack."""
        return Heights(self.one | other.one, self.two | other.two, self.three | other.three)

    def __and__(self, stacks: int) -> Heights:
        """The heights of the stacks in the mask only."""
        return Heights(self.one & stacks, self.two & stacks, self.three & stacks)


@lru_cache(maxsize=512)
def count_regions(on: Board, stacks: int) -> Heights:
    """The number of regions that each of the ``stacks`` touches.

    Cached, because the elements of a turn and the turn after it usually count on the same board.
    """
    one = two = three = 0
    empty = on.mask & ~stacks
    # A stack meets a region of a single cell in one direction, so these regions are spread together, direction by
    # direction; the others are spread one by one.
    single = empty & ~on.spread(empty)
    spreads = [on.shift(single, direction) for direction in range(6)]
    spreads += [on.spread(region) for region in on.groups(empty & ~single)]
    for touched in spreads:
        three |= two & touched
        two |= one & touched
        one |= touched
    return Heights(one & stacks, two & stacks, three & stacks)


class Group(NamedTuple):
    """A group: the mask of its stacks, and its rank: its size, then the height of its stacks."""

    cells: int
    rank: tuple[int, int]

    @property
    def size(self) -> int:
        return self.rank[0]

    @property
    def height(self) -> int:
        return self.rank[1]


#: Groups of one side, the greatest first.
Groups: TypeAlias = tuple[Group, ...]


def greater_side(first: Groups, second: Groups) -> Side | None:
    """The side with the greater list, entry by entry; None if they are equal. A list that ends first is smaller."""
    for group, other in zip(first, second, strict=False):
        if group.rank != other.rank:
            return Side.SECOND if other.rank > group.rank else Side.FIRST
    if len(first) == len(second):
        return None
    return Side.SECOND if len(second) > len(first) else Side.FIRST


class Region(NamedTuple):
    """A region: the mask of its cells, the side that controls it, and its value (None and 0 if nobody does).

    ``groups`` are each side's groups next to the region, and ``stacks`` the numbers of their stacks there.
    """

    cells: int
    owner: Side | None
    value: int
    groups: tuple[Groups, Groups]
    stacks: tuple[int, int]

    @property
    def why(self) -> Text:
        """The reason why that side, or nobody, controls the region."""
        if self.owner is None:
            first, second = self.stacks
            return Text(
                "the groups are equal, and so are the stacks next to it, {first} and {second}",
                first=first,
                second=second,
            )
        side, enemy = Hedu.side_name(self.owner), Hedu.side_name(self.owner.other)
        groups, others = self.groups[self.owner], self.groups[self.owner.other]
        pairs = zip(groups, others, strict=False)
        equal = next((number for number, (group, other) in enumerate(pairs) if group.rank != other.rank), len(others))
        if equal == len(groups):
            stacks, fewer = self.stacks[self.owner], self.stacks[self.owner.other]
            return Text(
                "the groups are equal, and {side} has more stacks next to it, {stacks} and {fewer}",
                side=side,
                stacks=stacks,
                fewer=fewer,
            )
        if equal == len(others):
            if not equal:
                return Text("only {side} has a group next to it", side=side)
            why = Text("only {side} has another next to it", side=side)
        else:
            why = _greater(side, groups[equal], enemy, others[equal])
        if not equal:
            return why
        return Text.counted("after {count} equal group, {why}", "after {count} equal groups, {why}", equal, why=why)


def _greater(side: Text, group: Group, enemy: Text, other: Group) -> Text:
    """Why the group of one side is greater than that of the other."""
    if group.size != other.size:
        return Text(
            "{side}'s group is larger, of size {size} and {enemy}'s of size {smaller}",
            side=side,
            size=group.size,
            enemy=enemy,
            smaller=other.size,
        )
    return Text(
        "{side}'s group of size {size} is higher, {height} and {enemy}'s {lower}",
        side=side,
        size=group.size,
        height=group.height,
        enemy=enemy,
        lower=other.height,
    )


@dataclass(frozen=True)
class Hedu(TerritorialPosition):
    """A position of Hedu. ``passed`` says that the last turn was a pass.

    The heights need no field: after every turn, they are the numbers of regions that the stacks touch.
    """

    passed: bool = False

    name: ClassVar[str] = "hedu"
    title: ClassVar[str] = "Hedu"
    version: ClassVar[int] = 1
    sizes: ClassVar[tuple[int, ...]] = (5, 7)
    default_size: ClassVar[int] = 7
    variants: ClassVar[tuple[str, ...]] = (gettext_noop("standard"),)
    sides: ClassVar[tuple[str, str]] = (gettext_noop("black"), gettext_noop("white"))
    symbols: ClassVar[tuple[str, str]] = ("●❶❷❸", "○①②③")
    goals: ClassVar[Mapping[str, str]] = {
        "standard": gettext_noop(
            "You win with the empty areas that you control and the pieces that enemy stacks lose. Each turn, place a "
            "stack, which is as high as the number of empty areas that it touches."
        )
    }
    minutes: ClassVar[int] = 15
    weight: ClassVar[Weight] = Weight.MEDIUM
    has_draws: ClassVar[bool] = True
    reasons: ClassVar[Mapping[str, str]] = {SCORE: gettext_noop("on points")}
    opening_rule: ClassVar[str] = gettext_noop("Opening: the first player places a {first} stack on any cell.")
    opening_question: ClassVar[str] = gettext_noop("Place the first stack (**{side}**).")
    opening_hint: ClassVar[str] = gettext_noop("a {side} stack anywhere")
    sections: ClassVar[Sections] = Sections(
        "hedu/rules.md#beginning", "hedu/rules.md#your-turn", "hedu/rules.md#the-end"
    )
    a_piece: ClassVar[tuple[str, str]] = (gettext_noop("a black stack"), gettext_noop("a white stack"))

    @property
    def heights(self) -> Heights:
        return count_regions(self.board, self.first | self.second)

    def height(self, cell: int) -> int:
        """The height of the stack on that cell, 1 to 3; 0 when the cell is empty."""
        return self.heights.of(cell)

    def can_stand(self) -> bool:
        """Whether both sides have stacks, and each touches a region."""
        return super().can_stand() and self.heights.one == self.first | self.second

    def placements(self, side: Side) -> int:
        """The empty cells on which a stack would touch a region: those next to another empty cell."""
        return self.empty & self.board.spread(self.empty)

    def placement_refusal(self, side: Side, cell: int) -> IllegalTurn:
        around = self.board.spread(1 << cell)
        return IllegalTurn(
            "a stack on {cell} would touch no region, because all cells around it are taken: {around}",
            tuple(bits(around)),
            cell=self.board.name(cell),
            around=cell_names(self.board, around),
            rule=self.sections.turn,
        )

    def place(self, cell: int) -> tuple[Self, tuple[Event, ...]]:
        return self._scored(*self._with_stack(cell))

    def pass_turn(self) -> tuple[Self, tuple[Event, ...]]:
        return self._scored(self.changed(turn_of=self.turn_of.other, passed=True), [Passed(self.turn_of)])

    def _scored(self, after: Self, events: list[Event]) -> tuple[Self, tuple[Event, ...]]:
        """The position and the events after a turn, with the score if that ended the game."""
        if (self.passed and after.passed) or not after.open_cells:
            events += after.territories()
            after = after.changed(outcome=Outcome(after.leader(), SCORE))
        return after, tuple(events)

    def _with_stack(self, cell: int) -> tuple[Self, list[Event]]:
        """Return the position after a stack of the side to play is placed, and the events."""
        mover, enemy = self.turn_of, self.turn_of.other
        # ``heights`` are the current heights of the stacks, ``counts`` the numbers of regions that they touch.
        stacks, held = [self.first, self.second], list(self.prisoners)
        stacks[mover] |= 1 << cell
        counts = count_regions(self.board, stacks[0] | stacks[1])
        heights = self.heights | counts & 1 << cell
        events: list[Event] = [placement(mover, cell, heights.of(cell))]
        if heights != counts:  # usually equal
            for side in (enemy, mover):
                lost = (heights - counts) & stacks[side]
                if lost.cells:
                    left = heights - lost
                    events += [Reduced(side, stack, heights.of(stack), left.of(stack)) for stack in bits(lost.cells)]
                    heights = left
                    # Every lost level is a prisoner; a stack that loses its first level leaves the board.
                    held[side.other] += sum(level.bit_count() for level in lost)
                    stacks[side] &= ~lost.one
                    counts = count_regions(self.board, stacks[0] | stacks[1])
            events += [
                Raised(Side(stacks[1] >> stack & 1), stack, heights.of(stack), counts.of(stack))
                for stack in bits((counts - heights).cells)
            ]
        first, second = stacks
        prisoners = held[0], held[1]
        after = self.changed(first=first, second=second, turn_of=enemy, prisoners=prisoners, passed=False)
        return after, events

    @by_side
    def groups(self) -> tuple[Groups, Groups]:
        """The side's groups: maximal connected sets of its stacks of one height, the greatest first."""
        return self._groups_of(Side.FIRST), self._groups_of(Side.SECOND)

    def _groups_of(self, side: Side) -> Groups:
        one, two, three = self.heights & self.stones(side)
        levels = enumerate((one & ~two, two & ~three, three), 1)
        groups = [
            Group(cells, (cells.bit_count(), height)) for height, level in levels for cells in self.board.groups(level)
        ]
        groups.sort(key=attrgetter("rank"), reverse=True)
        return tuple(groups)

    @lazy
    def regions(self) -> tuple[Region, ...]:
        """The regions, maximal connected sets of empty cells, in the order of the board, each with its control."""
        return tuple(self._region(cells) for cells in self.board.groups(self.empty))

    def _region(self, cells: int) -> Region:
        around = self.board.spread(cells)
        first, second = [tuple([group for group in self.groups(side) if group.cells & around]) for side in Side]
        stacks = (around & self.first).bit_count(), (around & self.second).bit_count()
        owner = greater_side(first, second)
        if owner is None and stacks[0] != stacks[1]:
            owner = Side(stacks[1] > stacks[0])
        value = 0 if owner is None else (first, second)[owner][0].height
        return Region(cells, owner, value, (first, second), stacks)

    @by_side
    def points(self) -> tuple[int | float, int | float]:
        """The values of the side's regions, its prisoners, and ½ if the list of all its groups is the greater."""
        greater = greater_side(*map(self.groups, Side))
        first, second = (
            self.prisoners[side] + self._controlled(side) + (0.5 if side is greater else 0) for side in Side
        )
        return first, second

    def _controlled(self, side: Side) -> int:
        """The total value of the side's regions."""
        return sum(region.value for region in self.regions if region.owner is side)

    def territories(self) -> list[Territory]:
        """The regions that a side controls."""
        return [
            Territory(region.owner, tuple(bits(region.cells))) for region in self.regions if region.owner is not None
        ]

    def pieces(self) -> dict[str, str]:
        """The stacks by the names of their cells, each as its colour and height, such as ``b2``."""
        return {
            self.board.name(cell): f"{letter}{self.height(cell)}"
            for letter, stacks in (("b", self.first), ("w", self.second))
            for cell in bits(stacks)
        }

    def score_parts(self) -> tuple[ScorePart, ...]:
        greater = greater_side(*map(self.groups, Side))
        return (
            ScorePart(Text("regions"), *map(self._controlled, Side)),
            ScorePart(Text("prisoners"), *self.prisoners),
            ScorePart(Text("larger groups"), *(0.5 * (side is greater) for side in Side)),
        )

    def piece_name(self, cell: int) -> Text | None:
        owner = self.owner(cell)
        if owner is None:
            return None
        return Text("{side} stack of height {height}", side=self.side_name(owner), height=self.height(cell))

    def symbol(self, cell: int) -> str:
        """The stack's height in a circle, filled for Black (❶ ❷ ❸) and open for White (① ② ③)."""
        owner = self.owner(cell)
        return "" if owner is None else self.symbols[owner][self.height(cell)]
