"""Dendria, a game of territory by Saïd Galdseid (2023): Seeds sprout into Dryads or germinate into forests of Trees."""

from __future__ import annotations

from rules.dendria.field import Field, Nourishment, Root
from rules.dendria.position import Dendria
from rules.dendria.turn import Germinated, Moved, PartialTurn, Sprouted

__all__ = ["Dendria", "Field", "Germinated", "Moved", "Nourishment", "PartialTurn", "Root", "Sprouted"]
