"""Hedu, a game of heights by Saïd Galdseid (2023): the height of a stack is the number of regions it touches."""

from __future__ import annotations

from rules.hedu.position import Group, Groups, Hedu, Heights, Raised, Reduced, Region

__all__ = ["Group", "Groups", "Hedu", "Heights", "Raised", "Reduced", "Region"]
