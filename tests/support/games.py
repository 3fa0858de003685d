"""Turns that lead to useful positions of Dalen, on boards of size 5, and of Nadraz, on one of size 6."""

from __future__ import annotations

FLIPPING = ("e7", "dark", "b4", "h8", "h7", "i9", "d7")
"""After these turns the second player, who plays Dark, flips one stone with f7."""

LOSING = ("e1", "dark", "g3", "a5", "e2", "f2", "d1", "b1")
"""After these turns the first player, who plays Light, loses four stones with f3."""

TWO_LEAVES = ("d5", "light", "a1", "e6", "i9")
"""After these turns the first player may not play e5, which is next to the leaves d5 and e6."""

_TO_A_PASS = """
    g5 light c3 h9 d7 f4 f5 i8 f7 f8 i7 d8 a2 i5 f2 e3 c6 b5 e7 d2 c5 a3 g8 g7 d5 d6 e5 e2 e8 a5
    e9 i6 a1 d3 h7 h6 h4 e6 c2 e4 d4 b3 f3 b1 b4 c1 f9 c4 h5 f6 a4 g9 c7 g3 g4 d1 i9 h8 e1
"""
PASSING = tuple(_TO_A_PASS.split())
"""After these turns the only legal turn is to pass."""

_TO_THE_END = """
    g6 light c3 a5 d8 i5 h9 b2 i9 f3 i7 a1 d6 c6 i8 b4 e9 f8 d7 b5
    c7 f6 g9 e7 e2 d4 a2 c1 f2 f9 h6 g3 g8 e4 c2 g7 d1 e1 g4 i6
"""
WHOLE_GAME = tuple(_TO_THE_END.split())
"""A short game from the opening to its end."""

_TO_A_LOSING_PASS = """
    i9,f2 white j9-j8 f3 i7-c7 e3-e4 b6-b5 d4 i10 c4-c5 h9-g9 g3-h4 g10 b4-b2 c5-g5 i5 f9-e9 i6 h5 c2 g4-e2 i7-i11 j7
    h10-f8 h8 e7-d6 j10 c6 i10-j11 b6-a6 e8 j10-k11 b6-b7 b7-c8 d2 d8 j6 e9-f10 d3 e2-e1 f2-f1 g4-g6 c3 f6 h4-h3 pass
    f4 pass b3-a3 b5-a4 a4-a5 pass
"""
FORCED_TO_LOSE = tuple(_TO_A_LOSING_PASS.split())
"""After these turns of Nadraz the only legal turn is a pass, which loses."""
