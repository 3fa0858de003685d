"""One cache for everything drawn, bounded by its bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache, wraps
from threading import Lock
from typing import Any, TypeAlias, TypeVar, TypeVarTuple

from PIL import Image

Arguments = TypeVarTuple("Arguments")
#: An image, several images together, or a compressed image.
Drawn: TypeAlias = Image.Image | tuple[Image.Image, ...] | bytes
Kept = TypeVar("Kept", bound=Drawn)
Value = TypeVar("Value")

#: How many bytes the parts of a small image other than its pixels take, such as its palette.
_OVERHEAD = 2500
#: The number of the only person who sees what is drawn, such as a tried turn; None for everybody. What is kept for one
#: person makes no picture of another person faster, so nobody can find out what other people look at.
viewer: ContextVar[int | None] = ContextVar("viewer", default=None)


@contextmanager
def for_everybody() -> Iterator[None]:
    """Let everybody share what is drawn within the block."""
    token = viewer.set(None)
    try:
        yield
    finally:
        viewer.reset(token)


def remembered(most: int) -> Callable[[Callable[[*Arguments], Value]], Callable[[*Arguments], Value]]:
    """Decorate a function of a position: keep its latest ``most`` values, each for its own viewer."""

    def decorate(compute: Callable[[*Arguments], Value]) -> Callable[[*Arguments], Value]:
        @lru_cache(most)
        def kept(_viewer: int | None, *arguments: *Arguments) -> Value:
            return compute(*arguments)

        @wraps(compute)
        def value(*arguments: *Arguments) -> Value:
            return kept(viewer.get(), *arguments)

        return value

    return decorate


class ByteCache:
    """A cache of drawings, of at most ``limit`` bytes for all cached functions together.

    A :data:`viewer` uses the drawings for everybody and adds drawings of their own.

    Its contents must never be changed. There are two generations: every request puts a drawing into the younger one.
    Once that has filled its half of the bytes, it becomes the elder one, and the former elder one is dropped. Unlike a
    list in order of use, this needs no lock for a hit. Any number of threads may use it at once.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._young: dict[tuple[object, ...], Any] = {}
        self._elder: dict[tuple[object, ...], Any] = {}
        self._bytes = [0, 0]
        self._lock = Lock()

    @property
    def bytes(self) -> int:
        """The bytes in use."""
        return sum(self._bytes)

    def __call__(self, draw: Callable[[*Arguments], Kept]) -> Callable[[*Arguments], Kept]:
        """Decorate a function whose result depends only on its arguments, all of them positional."""

        @wraps(draw)
        def drawn(*arguments: *Arguments) -> Kept:
            key: tuple[object, ...] = (draw, *arguments)
            found: Kept | None = self._find(key)
            if (whose := viewer.get()) is not None:
                if found is not None:
                    return found  # not even for longer because of this viewer
                key = (whose, *key)
                found = self._find(key)
            if found is None:
                found = draw(*arguments)
            self._keep(key, found)
            return found

        return drawn

    def clear(self) -> None:
        with self._lock:
            self._young, self._elder, self._bytes = {}, {}, [0, 0]

    def _find(self, key: tuple[object, ...]) -> Any:
        found = self._young.get(key)
        return self._elder.get(key) if found is None else found

    def _keep(self, key: tuple[object, ...], drawn: Drawn) -> None:
        size, half = size_of(drawn), self.limit // 2
        with self._lock:
            if key in self._young or size > half:
                return
            if self._bytes[0] + size > half:
                self._young, self._elder, self._bytes = {}, self._young, [0, self._bytes[0]]
            self._young[key] = drawn
            self._bytes[0] += size


def size_of(drawn: Drawn) -> int:
    """The approximate size in bytes."""
    if isinstance(drawn, bytes):
        return len(drawn)
    if isinstance(drawn, tuple):
        return sum(map(size_of, drawn))
    width, height = drawn.size
    return width * height * (4 if drawn.mode in ("RGB", "RGBA") else 1) + 8 * height + _OVERHEAD


#: Enough for thousands of tiles and hundreds of compressed boards, more than a day's matches need.
cached = ByteCache(48_000_000)
