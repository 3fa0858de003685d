"""What is drawn once and kept: one cache for all pictures, bounded by the bytes that they take."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from threading import Lock
from typing import Any, TypeVar, TypeVarTuple

from PIL import Image

Arguments = TypeVarTuple("Arguments")
#: An image, or a tuple of them.
Drawn = TypeVar("Drawn", bound=Image.Image | tuple[Image.Image, ...])

#: What the objects around the pixels of a small image take, its palette among them.
_OVERHEAD = 2500


class ImageCache:
    """Keeps what functions return, as images that are never changed, in at most ``limit`` bytes for all functions.

    There are two generations: what is asked for is in the younger one, or comes back to it; when that fills its half of
    the bytes, it becomes the elder one, and what nobody has asked for since then goes. Unlike a list in the order of
    use this needs no lock where something is found. Any number of threads may ask at once.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._young: dict[tuple[object, ...], Any] = {}
        self._elder: dict[tuple[object, ...], Any] = {}
        self._bytes = [0, 0]
        self._lock = Lock()

    @property
    def bytes(self) -> int:
        """What the images take that are kept now."""
        return sum(self._bytes)

    def __len__(self) -> int:
        return len({**self._elder, **self._young})

    def __call__(self, draw: Callable[[*Arguments], Drawn]) -> Callable[[*Arguments], Drawn]:
        """Decorates a function whose arguments, all given by position, decide what it returns."""

        @wraps(draw)
        def drawn(*arguments: *Arguments) -> Drawn:
            key = (draw, *arguments)
            found: Drawn | None = self._young.get(key)
            if found is None:
                found = self._elder.get(key)
                if found is None:
                    found = draw(*arguments)
                self._keep(key, found)
            return found

        return drawn

    def clear(self) -> None:
        with self._lock:
            self._young, self._elder, self._bytes = {}, {}, [0, 0]

    def _keep(self, key: tuple[object, ...], image: Image.Image | tuple[Image.Image, ...]) -> None:
        size, half = size_of(image), self.limit // 2
        with self._lock:
            if key in self._young or size > half:
                return
            if self._bytes[0] + size > half:
                self._young, self._elder, self._bytes = {}, self._young, [0, self._bytes[0]]
            self._young[key] = image
            self._bytes[0] += size


def size_of(image: Image.Image | tuple[Image.Image, ...]) -> int:
    """About as many bytes as an image takes, or some together."""
    if isinstance(image, tuple):
        return sum(map(size_of, image))
    width, height = image.size
    return width * height * (4 if image.mode in ("RGB", "RGBA") else 1) + 8 * height + _OVERHEAD


#: For some 30 boards and thousands of small images: what the matches of an hour show. Without it a picture takes some
#: hundred milliseconds more.
cached = ImageCache(48_000_000)
