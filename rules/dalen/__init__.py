"""Dalen, a game of annihilation by Saïd Galdseid (2024): trees that cannot grow any more capture those they touch."""

from __future__ import annotations

from rules.dalen.position import Dalen

__all__ = ["Dalen"]
