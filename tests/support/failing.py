"""Lets the storage fail."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator

import pytest

from bot.storage.base import Store
from bot.storage.repository import Repository


def patch_storage(patch: pytest.MonkeyPatch, name: str, method: Callable[..., Awaitable[object]]) -> None:
    """Put something in place of a method of the storage, whichever repositories have it."""
    kinds = [kind for kind in (*_subclasses(Repository), *_subclasses(Store)) if name in vars(kind)]
    assert kinds, f"no repository has {name}"
    for kind in kinds:
        patch.setattr(kind, name, method)


def _subclasses(kind: type[object]) -> Iterator[type[object]]:
    for each in kind.__subclasses__():
        yield each
        yield from _subclasses(each)
