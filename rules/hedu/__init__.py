"""Hedu, a game of heights by Saïd Galdseid (2023): a stack is as high as the number of regions it touches.

The rules are explained in ``rules/hedu/rules.md``. :class:`Hedu` is a position of the game; a
:class:`Region` is a part of the empty cells, and a :class:`Group` connected stacks.
"""

from __future__ import annotations

from rules.hedu.position import Group, Groups, Hedu, Heights, Raised, Reduced, Region

__all__ = ["Group", "Groups", "Hedu", "Heights", "Raised", "Reduced", "Region"]
