"""Scores and lists of cells in writing."""

from __future__ import annotations

from rules import Board, bits


def format_score(value: float) -> str:
    """A score; a half is written ``½``."""
    whole = int(value)
    return str(whole) if whole == value else f"{whole or ''}½"


def format_cells(board: Board, mask: int) -> str:
    """The mask's cells column by column, neighbours in a column as a range: ``a1 b2-4,6``."""
    columns: dict[int, list[list[int]]] = {}
    letters: dict[int, str] = {}
    for cell in bits(mask):
        x, row = board.column(cell), board.row(cell) + 1
        letters[x] = board.name(cell).removesuffix(str(row))
        runs = columns.setdefault(x, [])
        if runs and runs[-1][1] == row - 1:
            runs[-1][1] = row
        else:
            runs.append([row, row])
    return " ".join(
        letters[x] + ",".join(str(low) if low == high else f"{low}-{high}" for low, high in columns[x])
        for x in sorted(columns)
    )
