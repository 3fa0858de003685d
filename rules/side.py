"""The two sides of a game."""

from __future__ import annotations

import enum


class Side(enum.IntEnum):
    """The first side (Dark, Black) and the second (Light, White)."""

    FIRST = 0
    SECOND = 1

    #: The opposite side.
    other: Side


Side.FIRST.other, Side.SECOND.other = Side.SECOND, Side.FIRST
