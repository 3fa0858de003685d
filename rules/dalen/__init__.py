"""Dalen, a game of annihilation by Saïd Galdseid (2024): trees that can no longer grow capture the trees they touch."""

from __future__ import annotations

from rules.dalen.position import Dalen

__all__ = ["Dalen"]
