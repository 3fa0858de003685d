"""Fiodar, a territorial game by Saïd Galdseid (2023): weaves all of whose stones are in cut threads are captured."""

from __future__ import annotations

from rules.fiodar.position import Fiodar, Sights, Thread

__all__ = ["Fiodar", "Sights", "Thread"]
