"""The heap of the process, from which the buffers of drawing come."""

from __future__ import annotations

import ctypes

#: glibc's names for its parameters, from ``malloc.h``, and their values.
_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8
_LARGE, _ARENAS = 4_000_000, 2


def tune() -> None:
    """Has glibc give large buffers back to the system as soon as they are free. Call this before threads start.

    A board is drawn in buffers of 18 MB. After the first ones glibc would keep their memory for others to come, for
    each thread apart. Other C libraries are left as they are.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return
    for parameter, value in ((_TRIM_THRESHOLD, _LARGE), (_MMAP_THRESHOLD, _LARGE), (_ARENA_MAX, _ARENAS)):
        mallopt(parameter, value)
