"""Nadraz, a unification game by Saïd Galdseid (2023): snakes grow, merge and cut, and the longest snakes win."""

from __future__ import annotations

from rules.nadraz.position import Nadraz
from rules.nadraz.snakes import Runs, Snake

__all__ = ["Nadraz", "Runs", "Snake"]
