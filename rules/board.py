"""The hexagonal board: cells, their names, neighbours and floods.

A cell is an ``int``, the position of its bit in a mask; a set of cells is a mask, an ``int`` with those bits set. The
columns of a row are side by side in the mask, and every row ends with a column that is never on the board, so six
shifts of a mask give the neighbours of all its cells. Only this module knows the layout.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache

from rules.lazy import lazy

_NAME = re.compile(r"([a-z]|aa)([1-9][0-9]?)")


def _column(x: int) -> str:
    return "aa" if x == 26 else chr(ord("a") + x)


class Board:
    """A hexagonal board with ``size`` cells on each side: 3·size² − 3·size + 1 cells.

    Get one with :func:`board`. A cell in column ``x`` and row ``y`` (both from 0) is on the board when
    ``|x − y| < size``; its name is the column's letter and the row's number plus one, so ``a1`` is a corner.
    """

    def __init__(self, size: int) -> None:
        if not 2 <= size <= 14:
            raise ValueError(f"a board has 2 to 14 cells on each side, not {size}")
        self.size = size
        self.diameter = 2 * size - 1
        self._stride = self.diameter + 1
        #: All cells, from ``a1`` along the rows.
        self.cells = tuple(
            y * self._stride + x for y in range(self.diameter) for x in range(self.diameter) if abs(x - y) < size
        )
        #: The mask of all cells.
        self.mask = sum(1 << cell for cell in self.cells)
        self._names = {cell: _column(self.column(cell)) + str(self.row(cell) + 1) for cell in self.cells}
        self._by_name = {name: cell for cell, name in self._names.items()}

    def __repr__(self) -> str:
        return f"board({self.size})"

    def __reduce__(self) -> tuple[Callable[[int], Board], tuple[int]]:
        return board, (self.size,)

    def column(self, cell: int) -> int:
        return cell % self._stride

    def row(self, cell: int) -> int:
        return cell // self._stride

    def name(self, cell: int) -> str:
        """The cell's name, such as ``g7``."""
        return self._names[cell]

    def names(self, mask: int) -> list[str]:
        """The names of the mask's cells, in the order of the board."""
        names: list[str] = []
        for known, byte in zip(self._by_byte, mask.to_bytes(len(self._by_byte), "little"), strict=True):
            names += known[byte]
        return names

    @lazy
    def _by_byte(self) -> tuple[tuple[tuple[str, ...], ...], ...]:
        """The names of the cells in a byte of a mask, by its index and value: faster than cell by cell."""
        tables = []
        for low in range(0, self.cells[-1] + 1, 8):
            table: list[tuple[str, ...]] = [()]
            for cell in range(low, low + 8):
                name = self._names.get(cell)
                table += table if name is None else [(*names, name) for names in table]
            tables.append(tuple(table))
        return tuple(tables)

    def find(self, name: str) -> int | None:
        """The cell with that name; None if there is none."""
        return self._by_name.get(name)

    def cell(self, name: str) -> int | None:
        """The cell with that name; None if it is off this board. Raises ``ValueError`` if no board has such a cell."""
        if name in self._by_name:
            return self._by_name[name]
        if _NAME.fullmatch(name) is None:
            raise ValueError(f"{name!r} is not the name of a cell")
        return None

    @property
    def centre(self) -> int:
        return self.cells[len(self.cells) // 2]

    def distance(self, one: int, other: int) -> int:
        """The distance between two cells, 1 for neighbours."""
        across, along = self.column(one) - self.column(other), self.row(one) - self.row(other)
        return max(abs(across), abs(along), abs(across - along))

    def spread(self, mask: int) -> int:
        """The cells next to a cell of the mask, including cells of the mask that touch each other."""
        row, diagonal = self._stride, self._stride + 1
        return (mask << 1 | mask >> 1 | mask << row | mask >> row | mask << diagonal | mask >> diagonal) & self.mask

    def within(self, distance: int, cell: int) -> int:
        """The cells at most that far from a cell, including itself."""
        mask = 1 << cell
        for _ in range(distance):
            mask |= self.spread(mask)
        return mask

    def contacts(self, mask: int) -> tuple[int, int]:
        """The cells next to at least one cell of the mask, and the cells next to at least two."""
        row, diagonal = self._stride, self._stride + 1
        once = mask << 1
        twice = 0
        for shifted in (mask >> 1, mask << row, mask >> row, mask << diagonal, mask >> diagonal):
            twice |= once & shifted
            once |= shifted
        return once & self.mask, twice & self.mask

    def shift(self, mask: int, direction: int) -> int:
        """The mask moved by a cell in a direction, without cells that leave the board.

        The direction is 0 to 5, as in :attr:`directions`.
        """
        offset = self.directions[direction]
        return (mask << offset if offset > 0 else mask >> -offset) & self.mask

    @lazy
    def directions(self) -> tuple[int, ...]:
        """The six offsets from a cell to its neighbours, in circular order; direction ``d + 3`` is opposite to
        ``d``."""
        row, diagonal = self._stride, self._stride + 1
        return (row, diagonal, 1, -row, -diagonal, -1)

    @lazy
    def rays(self) -> dict[int, tuple[tuple[int, ...], ...]]:
        """For each cell and direction, the cells beyond it in a straight line, nearest first."""
        return {cell: tuple(self._ray(cell, offset) for offset in self.directions) for cell in self.cells}

    def _ray(self, cell: int, offset: int) -> tuple[int, ...]:
        ray = []
        while (cell := cell + offset) in self._names:
            ray.append(cell)
        return tuple(ray)

    @lazy
    def ray_masks(self) -> dict[int, tuple[int, ...]]:
        """:attr:`rays` as masks."""
        return {cell: tuple(sum(1 << other for other in ray) for ray in rays) for cell, rays in self.rays.items()}

    @lazy
    def in_line(self) -> dict[int, int]:
        """For each cell, the mask of all other cells in a straight line with it."""
        return {cell: sum(rays) for cell, rays in self.ray_masks.items()}

    def stretch(self, cell: int, direction: int, over: int) -> int:
        """The unbroken row of cells of ``over`` beyond the cell in that direction."""
        ray = self.ray_masks[cell][direction]
        ends = ray & ~over
        if direction < 3:  # upward in a mask
            return ray & ~ends & ends - 1
        past = ends.bit_length()
        return ray >> past << past

    def crossing(self, cell: int, over: int, to: int) -> list[int]:
        """The directions in which a row of cells of ``over``, without a gap, leads to a cell of ``to``."""
        found, either = [], over | to
        for direction, ray in enumerate(self.ray_masks[cell]):
            if ray & over:
                row = self.stretch(cell, direction, either)
                crossed, reached = row & over, row & to
                # Whether the nearest cell of one lies before the farthest cell of the other.
                if (reached > crossed & -crossed > 0) if direction < 3 else (crossed > reached & -reached > 0):
                    found.append(direction)
        return found

    @lazy
    def neighbours(self) -> dict[int, int]:
        """For each cell, the mask of its neighbours."""
        return {cell: self.spread(1 << cell) for cell in self.cells}

    @lazy
    def edge(self) -> int:
        """The mask of the cells with fewer than six neighbours."""
        inner = self.mask
        for direction in range(6):
            inner &= self.shift(self.mask, direction)
        return self.mask & ~inner

    def flood(self, seed: int, within: int) -> int:
        """The cells of ``within`` that are connected, inside ``within``, to a cell of ``seed``."""
        # spread() written out, because no other code runs as often.
        row, diagonal = self._stride, self._stride + 1
        reached, grown = 0, seed & within
        while grown != reached and grown != within:
            reached = grown
            grown |= (
                grown << 1 | grown >> 1 | grown << row | grown >> row | grown << diagonal | grown >> diagonal
            ) & within
        return grown

    def groups(self, mask: int) -> Iterator[int]:
        """The maximal connected sets of the mask's cells, each a mask."""
        while mask:
            group = self.flood(mask & -mask, mask)
            yield group
            mask &= ~group

    def diagram(self, symbol: Callable[[int], str]) -> str:
        """A text picture of the board: columns upright, numbers rising, ``a1`` at the lower left.

        ``symbol`` gives one character for each cell. Letters stand at the foot of the columns, and numbers at the left
        end of the rows, which fall to the right.
        """
        foot = [max(0, x - self.size + 1) for x in range(self.diameter)]
        lines: dict[int, dict[int, str]] = {}
        for cell in self.cells:
            x, y = self.column(cell), self.row(cell)
            lines.setdefault(2 * y - x, {})[3 * x + 4] = symbol(cell)
        for x in range(self.diameter):
            lines.setdefault(2 * foot[x] - x - 2, {})[3 * x + 4] = _column(x)
        for y in range(self.diameter):
            x = max(0, y - self.size + 1)
            label = str(y + 1)
            lines.setdefault(2 * y - x + 1, {})[3 * x + 2 - len(label)] = label
        text = []
        for height in sorted(lines, reverse=True):
            line = ""
            for at in sorted(lines[height]):
                line = line.ljust(at) + lines[height][at]
            text.append(line)
        return "\n".join(text)


@cache
def board(size: int) -> Board:
    """The board with ``size`` cells on each side; always the same object for the same size."""
    return Board(size)


def bits(mask: int) -> Iterator[int]:
    """The cells of a mask, in the order of the board."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def cell_names(on: Board, cells: tuple[int, ...] | int) -> str:
    """The names of cells as a list, such as ``d5, e6``."""
    return ", ".join(on.name(cell) for cell in (bits(cells) if isinstance(cells, int) else cells))
