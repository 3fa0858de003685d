"""The heap of the process, with the buffers for drawing."""

from __future__ import annotations

import ctypes
from contextlib import suppress

#: glibc's names for its parameters, from ``malloc.h``, and their values.
_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8
_LARGE, _ARENAS = 4_000_000, 2


def tune() -> None:
    """Make glibc return large buffers to the system as soon as they are free. Call this before threads start.

    A board is drawn in a buffer of 15 MB. By default, glibc would soon keep such buffers for each thread. Other C
    libraries are not affected.
    """
    for parameter, value in ((_TRIM_THRESHOLD, _LARGE), (_MMAP_THRESHOLD, _LARGE), (_ARENA_MAX, _ARENAS)):
        _call("mallopt", parameter, value)


def trim() -> None:
    """Make glibc return free pages to the system, which takes some milliseconds.

    Otherwise the heap would grow for ever, because every picture takes and frees small pieces of memory.
    """
    _call("malloc_trim", 0)


def _call(function: str, *arguments: int) -> None:
    """Call a function of the C library if it exists."""
    with suppress(AttributeError, OSError, TypeError):
        getattr(ctypes.CDLL(None), function)(*arguments)
