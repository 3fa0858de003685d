"""The heap of the process, with the buffers for drawing."""

from __future__ import annotations

import ctypes
from contextlib import suppress


def trim() -> None:
    """Make glibc return free pages to the system, which takes some milliseconds.

    Otherwise the heap would grow for ever, because every picture takes and frees small pieces of memory. Other C
    libraries are not affected.
    """
    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)
