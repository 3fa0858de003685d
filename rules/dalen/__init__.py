"""Dalen, a game of annihilation by Saïd Galdseid (2024): trees that cannot grow any more capture those they touch.

The rules are explained in ``rules/dalen/rules.md``. :class:`Dalen` is a position of the game.
"""

from __future__ import annotations

from rules.dalen.position import Dalen

__all__ = ["Dalen"]
