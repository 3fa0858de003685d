"""The field of Dendria: the board with its pieces. Each term of the rule page is a method of :class:`Field`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from rules.board import Board, bits
from rules.lazy import by_side, lazy
from rules.side import Side
from rules.text import Text, gettext_noop

SIDES = (gettext_noop("dark"), gettext_noop("light"))
_SEEDS = (gettext_noop("a dark Seed"), gettext_noop("a light Seed"))
_TREES = (gettext_noop("a dark Tree"), gettext_noop("a light Tree"))
_DRYADS = (gettext_noop("a dark Dryad"), gettext_noop("a light Dryad"))
DIRECTIONS = range(6)
#: The mark before a soil where a Dryad stops.
STOP = "-"


class _Layout(NamedTuple):
    """Constants of a board. One ``int`` holds masks of both colours, Light's ``width`` bits above Dark's."""

    width: int
    both: int
    #: For each direction, the cells from which it leaves the board at once.
    rootless: tuple[int, ...]


@cache
def _layout_of(board: Board) -> _Layout:
    width = board.mask.bit_length() + max(board.directions) + 1
    rootless = tuple(board.mask & ~board.shift(board.mask, (d + 3) % 6) for d in DIRECTIONS)
    return _Layout(width, board.mask | board.mask << width, rootless)


def _sweep(mask: int, offset: int, over: int) -> int:
    """The cells of the mask, and the cells of ``over`` reached from them by repeating the offset within ``over``."""
    # Doubling: the rounds find the cells within distances of 1, 3, 7, …, and `over` keeps the unbroken runs.
    if offset > 0:
        while over:
            mask |= mask << offset & over
            over &= over << offset
            offset *= 2
    else:
        offset = -offset
        while over:
            mask |= mask >> offset & over
            over &= over >> offset
            offset *= 2
    return mask


class Root(NamedTuple):
    """A root: its empty soils, nearest first, and the cell of the piece at its end (None at the board's edge)."""

    soils: tuple[int, ...]
    end: int | None


@dataclass(frozen=True, slots=True)
class Nourishment:
    """The nourishment of a Seed: the ``nutrients`` from each side, and the side that nourishes it (None when it is
    hungry).

    ``open_roots`` is the number of its roots with no piece at the end.
    """

    nutrients: tuple[int, int]
    open_roots: int
    by: Side | None


@dataclass(unsafe_hash=True)  # never changed, but constructing a frozen class takes twice as long
class Field:
    """The board with its pieces, and the rules about them that do not depend on the side to play.

    ``first`` and ``second`` are the masks of each side's pieces; ``seeds``, ``trees`` and ``dryads`` the masks of each
    kind.
    """

    board: Board
    first: int = 0
    second: int = 0
    seeds: int = 0
    trees: int = 0
    dryads: int = 0

    # Pieces.

    @lazy
    def occupied(self) -> int:
        return self.first | self.second

    @lazy
    def empty(self) -> int:
        return self.board.mask & ~(self.first | self.second)

    def pieces(self, side: Side) -> int:
        """The mask of the side's pieces."""
        return self.second if side else self.first

    def with_pieces(self, side: Side, cells: int, seeds: int, trees: int, dryads: int) -> Field:
        """This field with pieces of the side on the cells, and with these masks of each kind."""
        first, second = self.first & ~cells, self.second & ~cells
        first, second = (first, second | cells) if side else (first | cells, second)
        return Field(self.board, first, second, seeds, trees, dryads)

    def sown(self, side: Side, cell: int) -> Field:
        """This field with one more Seed."""
        return self.with_pieces(side, 1 << cell, self.seeds | 1 << cell, self.trees, self.dryads)

    def sprouted(self, side: Side, cell: int) -> Field:
        """This field with a Dryad of the side in place of the Seed on that cell, which may be of either colour."""
        seed = 1 << cell
        return self.with_pieces(side, seed, self.seeds & ~seed, self.trees, self.dryads | seed)

    def germinated(self, side: Side, seedbed: int) -> Field:
        """This field with Trees of the side in place of the Seeds of the mask, which may be of either colour."""
        return self.with_pieces(side, seedbed, self.seeds & ~seedbed, self.trees | seedbed, self.dryads)

    def moved(self, side: Side, start: int, stop: int) -> Field:
        """This field after the side's Dryad on ``start`` has moved to the empty soil ``stop``."""
        lifted = self.without(start)
        return lifted.with_pieces(side, 1 << stop, self.seeds, self.trees, lifted.dryads | 1 << stop)

    def without(self, dryad: int) -> Field:
        """This field without the Dryad on that cell."""
        left = ~(1 << dryad)
        return Field(self.board, self.first & left, self.second & left, self.seeds, self.trees, self.dryads & left)

    def describe(self, cell: int) -> Text:
        """The piece on an occupied cell, such as ``a light Tree``."""
        kind = _SEEDS if self.seeds >> cell & 1 else _TREES if self.trees >> cell & 1 else _DRYADS
        return Text(kind[self.second >> cell & 1])

    # Roots.

    def roots(self, cell: int) -> tuple[Root, ...]:
        """The roots of a piece on that cell: one for each direction that does not leave the board at once.

        A piece on the adjacent cell stands at the end of a root without soils (Ruling).
        """
        roots = []
        for ray in self.board.rays[cell]:
            if ray:
                until = next((at for at, soil in enumerate(ray) if self.occupied >> soil & 1), len(ray))
                roots.append(Root(ray[:until], ray[until] if until < len(ray) else None))
        return tuple(roots)

    def _reach(self, cell: int, blockers: int) -> int:
        """The cells in a straight line from that cell, in all directions, before the first of the blockers."""
        a, b, c, d, e, f = self.board.ray_masks[cell]
        # The first three directions go up through the bits, the others down, so the nearest blocker is the lowest or
        # the highest bit. Without a blocker, both expressions keep the whole ray.
        up, up2, up3 = a & blockers, b & blockers, c & blockers
        return (
            a & (up & -up) - 1
            | b & (up2 & -up2) - 1
            | c & (up3 & -up3) - 1
            | d & -1 << (d & blockers).bit_length()
            | e & -1 << (e & blockers).bit_length()
            | f & -1 << (f & blockers).bit_length()
        )

    def root_soils(self, cell: int) -> int:
        """The mask of the empty soils on the roots of the piece on that cell."""
        return self._reach(cell, self.occupied)

    def _seen(self, first: int, second: int) -> list[int]:
        """For each direction, the cells, occupied or not, whose root ends at one of the pieces ``first`` or ``second``.

        The masks hold both colours. Roots end at any piece on the board, not only at these.
        """
        layout = _layout_of(self.board)
        pieces, soils = first | second << layout.width, self.empty | self.empty << layout.width
        seen = []
        for offset in self.board.directions:
            swept = _sweep(pieces, -offset, soils)
            seen.append((swept >> offset if offset > 0 else swept << -offset) & layout.both)
        return seen

    @lazy
    def _nutrients(self) -> list[int]:
        return self._seen(self.first, self.second)

    def _more(self, seen: Sequence[int]) -> tuple[int, int]:
        """The cells in more of the six masks for the first side than for the second, and the reverse."""
        # Adds six one-bit numbers for all cells and both sides at once, digit by digit.
        a, b, c, d, e, f = seen
        ab, de = a ^ b, d ^ e
        left, right = ab ^ c, de ^ f
        left_carry, right_carry, ones_carry = a & b | ab & c, d & e | de & f, left & right
        carries = left_carry ^ right_carry
        fours, twos, ones = left_carry & right_carry | carries & ones_carry, carries ^ ones_carry, left ^ right
        width = _layout_of(self.board).width
        more_first = more_second = 0
        equal = self.board.mask
        for digit in (fours, twos, ones):
            of_second = digit >> width
            differing = equal & (digit ^ of_second)
            more_first |= differing & digit
            more_second |= differing & of_second
            equal ^= differing
        return more_first, more_second

    # Nutrients.

    def _nourished_by(self, nutrients: Sequence[int]) -> tuple[int, int]:
        """The cells on which the first and the second side nourish a Seed, by the nutrients in each direction.

        Hungry comes first (Ruling): nobody nourishes a Seed with a root that has no piece at its end.
        """
        layout = _layout_of(self.board)
        sated = self.board.mask
        for brought, rootless in zip(nutrients, layout.rootless, strict=True):
            sated &= brought | brought >> layout.width | rootless
        first, second = self._more(nutrients)
        return first & sated, second & sated

    @by_side
    def nourished(self) -> tuple[int, int]:
        """The mask of the cells on which a Seed of either colour is or would be nourished by the side."""
        return self._nourished_by(self._nutrients)

    @lazy
    def hungry(self) -> int:
        """The mask of the cells on which a Seed is or would be hungry, for whatever reason."""
        return self.board.mask & ~(self.nourished(Side.FIRST) | self.nourished(Side.SECOND))

    @property
    def sowable(self) -> int:
        """The mask of the empty soils where a new Seed is hungry, so that either side can sow."""
        return self.empty & self.hungry

    def nourishment(self, cell: int) -> Nourishment:
        """The nourishment of a Seed on that cell."""
        ends = [root.end for root in self.roots(cell)]
        first = sum(end is not None and self.first >> end & 1 for end in ends)
        second = sum(end is not None and self.second >> end & 1 for end in ends)
        by = next((side for side in Side if self.nourished(side) >> cell & 1), None)
        return Nourishment((first, second), ends.count(None), by)

    # Fertile soils, seedbeds and forests.

    @by_side
    def fertile(self) -> tuple[int, int]:
        """The mask of the cells that the side's Dryads occupy, and of the empty soils on their roots."""
        first, second = self.first & self.dryads, self.second & self.dryads
        soils = 0
        for seen in self._seen(first, second):
            soils |= seen
        width = _layout_of(self.board).width
        return first | soils & self.empty, second | soils >> width & self.empty

    def made_fertile(self, dryad: int) -> int:
        """The mask of the cells that the Dryad on that cell makes fertile."""
        return 1 << dryad | self.root_soils(dryad)

    def seedbeds(self, side: Side) -> list[int]:
        """The maximal connected sets of the side's Seeds, each a mask."""
        return list(self.board.groups(self.seeds & self.pieces(side)))

    def forests(self, side: Side) -> list[int]:
        """The maximal connected sets of the side's Trees, each a mask."""
        return list(self.board.groups(self.trees & self.pieces(side)))

    def around(self, group: int) -> int:
        """The mask of the cells adjacent to a seedbed or forest."""
        return self.board.spread(group) & ~group

    def _surrounded(self, fertile: int) -> list[int]:
        """The seedbeds of both colours whose adjacent cells are all in the mask."""
        found: list[int] = []
        for pieces in (self.first, self.second):
            seeds = self.seeds & pieces
            touched = self.board.spread(self.board.mask & ~fertile & ~seeds) & seeds
            found += self.board.groups(seeds & ~self.board.flood(touched, seeds))
        return found

    @by_side
    def germinable(self) -> tuple[list[int], list[int]]:
        """The seedbeds, of either colour, whose adjacent cells are all fertile for the side.

        An adjacent cell with a Seed, a Tree or an enemy Dryad is not fertile, so it prevents germination (Ruling).
        """
        if not self.seeds:
            return [], []
        return self._surrounded(self.fertile(Side.FIRST)), self._surrounded(self.fertile(Side.SECOND))

    # Leafiness.

    @by_side
    def leafiness_cells(self) -> tuple[int, int]:
        """The mask of the cells that count for the side: its Trees and the cells with more of its Trees' roots.

        The roots of all its forests are counted together, each cell once (Ruling).
        """
        first, second = self.first & self.trees, self.second & self.trees
        # A root lies on its soils, and on the cell at its end if a Seed or a Dryad stands there (Ruling): the cells
        # from which the Tree is seen first in the opposite direction.
        more_first, more_second = self._more(self._seen(first, second))
        return first | more_first & ~self.trees, second | more_second & ~self.trees

    def leafiness(self, side: Side) -> int:
        return self.leafiness_cells(side).bit_count()

    # The ways of Dryads, and where they can act.

    def own_dryads(self, side: Side) -> int:
        """The mask of the side's Dryads."""
        return self.dryads & self.pieces(side)

    @by_side
    def blockers(self) -> tuple[int, int]:
        """The mask of the Trees and enemy Dryads, which the side's Dryads never pass over."""
        return self.trees | self.dryads & self.second, self.trees | self.dryads & self.first

    def ways(self, side: Side, dryad: int) -> int:
        """The mask of the empty soils where the side's Dryad on that cell can stop.

        It passes over any mix of empty soils, Seeds and friendly Dryads in a line (Ruling).
        """
        return self._reach(dryad, self.blockers(side)) & self.empty

    def way(self, side: Side, dryad: int, direction: int) -> int:
        """:meth:`ways` in one direction."""
        return self.ways(side, dryad) & self.board.ray_masks[dryad][direction]

    def sprouting(self, side: Side, dryad: int | None = None) -> int:
        """The mask of the Seeds, of either colour (Ruling), that the side can sprout.

        A moved Dryad sprouts only Seeds with a root that ends at it (Ruling).
        """
        seeds = self.seeds & self.nourished(side)
        if dryad is not None:
            seeds &= sum(1 << root.end for root in self.roots(dryad) if root.end is not None)
        return seeds

    def germinating(self, side: Side, dryad: int | None = None) -> list[int]:
        """The seedbeds that the side can germinate; with a moved Dryad, only beside a cell that it makes fertile
        (Ruling)."""
        seedbeds = self.germinable(side)
        if dryad is not None:
            made = self.made_fertile(dryad)
            seedbeds = [seedbed for seedbed in seedbeds if made & self.around(seedbed)]
        return seedbeds

    # The effect of one more Dryad of the side, for all soils at once: a Dryad that arrives on a soil ends one root of
    # each cell that sees it. So the nutrients of each direction are replaced in turn, and the cells that then satisfy
    # the rule are traced along that direction to the soils where a Dryad has that effect.

    def _nourished_if_seen(self, side: Side, *directions: int) -> tuple[int, int]:
        """:meth:`_nourished_by` if every cell saw a piece of the side in these directions."""
        nutrients = list(self._nutrients)
        for direction in directions:
            nutrients[direction] = self.board.mask << (_layout_of(self.board).width if side else 0)
        return self._nourished_by(nutrients)

    def _soils_seen(self, cells: int, direction: int, over: int) -> int:
        """The empty soils seen in that direction from one of the cells, across cells of ``over``."""
        swept = _sweep(cells, self.board.directions[direction], over)
        return self.board.shift(swept, direction) & self.empty

    def soils_to_act(self, side: Side) -> int:
        """The mask of the empty soils where the side's Dryad, already taken off the field, could act after a move."""
        if not self.seeds:
            return 0
        soils = 0
        for direction in DIRECTIONS:
            nourished = self.seeds & self._nourished_if_seen(side, direction)[side]
            if nourished:
                soils |= self._soils_seen(nourished, direction, self.empty)
        for seedbed in self._surrounded(self.empty | self.own_dryads(side)):
            around = self.around(seedbed)
            missing = around & ~self.fertile(side)
            if missing:
                soils_here = self.empty
                for cell in bits(missing):
                    soils_here &= 1 << cell | self.root_soils(cell)
                soils |= soils_here
            else:
                for cell in bits(around & self.empty):
                    soils |= 1 << cell | self.root_soils(cell)
        return soils

    def soils_to_let_sow(self, side: Side) -> int:
        """The mask of the empty soils on which one more Dryad of the side would leave a soil to sow on."""
        soils = 0
        for direction in DIRECTIONS:
            first, second = self._nourished_if_seen(side, direction)
            soils |= self._soils_seen(self.empty & ~(first | second), direction, self.empty)
        for cell in bits(self.sowable):
            if soils == self.empty:
                break
            # A Dryad changes nothing for a hungry soil that does not see it.
            soils |= self.empty & ~(1 << cell | self.root_soils(cell))
        return soils

    # Irreversible turns.

    def has_irreversible_turn(self, side: Side) -> bool:
        """Whether the side could sow, sprout or germinate on its turn."""
        if self.sowable:
            return True
        return bool(self.seeds) and any(
            self.can_act(side, dryad, self.ways(side, dryad)) for dryad in bits(self.own_dryads(side))
        )

    def can_act(self, side: Side, dryad: int, ways: int) -> bool:
        """Whether the side's Dryad on that cell could act after a move to one of the soils ``ways``."""
        return bool(ways) and bool(ways & self.without(dryad).soils_to_act(side))

    def reachable(self, side: Side, dryad: int) -> int:
        """The mask of the soils that the side's Dryad can reach by moves without acts, including its own."""
        lifted = self.without(dryad)
        over = self.board.mask & ~self.blockers(side)
        reached = frontier = 1 << dryad
        while frontier:
            found = 0
            for offset in self.board.directions:
                found |= _sweep(frontier, offset, over)
            frontier = found & lifted.empty & ~reached
            reached |= frontier
        return reached

    def will_have_irreversible_turn(self, side: Side) -> bool:
        """Whether the side has an irreversible turn now or after wandering (Ruling).

        Wandering: one Dryad makes any number of moves without acts, and everything else stays in place.
        """
        if self.has_irreversible_turn(side):
            return True
        wanderings = []
        for dryad in bits(self.own_dryads(side)):
            reached = self.reachable(side, dryad)
            if reached == 1 << dryad:
                continue
            lifted = self.without(dryad)
            # Moves can be reversed, so the Dryad can end a move on every soil reached.
            if reached & lifted.soils_to_let_sow(side) or reached & lifted.soils_to_act(side):
                return True
            wanderings.append((lifted, reached & lifted.empty & ~(1 << dryad)))
        if not self.seeds:
            return False
        return any(
            lifted.without(other).pair_can_act(side, soils, lifted.ways(side, other))
            for lifted, soils in wanderings
            for other in bits(lifted.own_dryads(side))
        )

    def pair_can_act(self, side: Side, soils: int, ways: int) -> bool:
        """Whether, with one more Dryad of the side on one of ``soils``, another one could act on one of ``ways``.

        Neither Dryad is on the field. They never share a soil, and friends do not block the way.
        """
        return self._pair_can_sprout(side, soils, ways) or self._pair_can_germinate(side, soils, ways)

    def _pair_can_sprout(self, side: Side, soils: int, ways: int) -> bool:
        board = self.board
        for direction in DIRECTIONS:
            acting = self.seeds & self._seeing(ways, direction)
            if not acting:
                continue
            for seed in bits(acting & self._nourished_if_seen(side, direction)[side]):
                # The other Dryad may stand anywhere but in between: more nutrients of the side do no harm.
                ray = board.ray_masks[seed][direction]
                nearest = next(cell for cell in board.rays[seed][direction] if ways >> cell & 1)
                if soils & ~(ray & ~board.ray_masks[nearest][direction]):
                    return True
            for another in DIRECTIONS:
                helped = acting & self._seeing(soils, another) if another != direction else 0
                if helped & self._nourished_if_seen(side, direction, another)[side]:
                    return True
        return False

    def _seeing(self, soils: int, direction: int) -> int:
        """The cells that see one of these empty soils in that direction."""
        swept = _sweep(soils, -self.board.directions[direction], self.empty)
        return self.board.shift(swept, (direction + 3) % 6)

    def _pair_can_germinate(self, side: Side, soils: int, ways: int) -> bool:
        for seedbed in self._surrounded(self.empty | self.own_dryads(side)):
            around = self.around(seedbed)
            # By adjacent cell, the soils from which a Dryad makes it fertile. Dryads of one side do not take fertile
            # soils from each other: beyond one of them, its own root goes on.
            covers = {cell: 1 << cell | self.root_soils(cell) for cell in bits(around & self.empty)}
            missing = {cell: cover for cell, cover in covers.items() if not self.fertile(side) >> cell & 1}
            for stop in bits(ways):
                others = soils & ~(1 << stop)
                for cover in missing.values():
                    if not cover >> stop & 1:
                        others &= cover
                if not others:
                    continue
                # The moved Dryad itself must make an adjacent cell fertile, so the other is not in between.
                for cell, cover in covers.items():
                    if cover >> stop & 1 and others & ~self._line(stop, cell):
                        return True
        return False

    def _line(self, start: int, end: int) -> int:
        """The cells in a straight line from ``start``, exclusive, to ``end``; none if they are the same."""
        rays, beyond = self.board.ray_masks[start], self.board.ray_masks[end]
        return next((rays[way] & ~beyond[way] for way in DIRECTIONS if rays[way] >> end & 1), 0)
