"""Runs the bot in a process of its own, against the loopback server whose port is the first argument."""

from __future__ import annotations

import sys

from bot.__main__ import main
from tests.network.loopback import point_to

if __name__ == "__main__":
    point_to(int(sys.argv[1]))
    sys.exit(main())
