"""Corral, a sixth game for tests: everything a new game needs under ``rules``, in one folder to copy.

The game has an opening, the choice of sides, captures and passes. It also has an event and a reason to end that no
other game has. Its boards are small, so that whole games are short.

A turn places a stone on an empty cell and captures every enemy group that has no empty cell next to it. A stone that
would leave its own group without one must capture something. A side without a legal placement passes. The first side
to capture wins; two passes in a row end the game in a draw.
"""

from __future__ import annotations

from tests.support.corral.events import Penned
from tests.support.corral.position import Corral

__all__ = ["Corral", "Penned"]
