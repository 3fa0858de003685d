"""Lets the storage fail."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator

import pytest

from bot.storage.base import Store
from bot.storage.repository import Repository


def patch_storage(patch: pytest.MonkeyPatch, name: str, method: Callable[..., Awaitable[object]]) -> None:
    """Put something in place of a method of the storage, such as ``add_turn`` of any repository that has it, or
    ``ChallengeRepository.add`` of one."""
    repository, _, own = name.rpartition(".")
    kinds = [
        kind
        for kind in (*_subclasses(Repository), *_subclasses(Store))
        if own in vars(kind) and repository in ("", kind.__name__)
    ]
    assert kinds, f"no repository has {name}"
    for kind in kinds:
        patch.setattr(kind, own, method)


def _subclasses(kind: type[object]) -> Iterator[type[object]]:
    for each in kind.__subclasses__():
        yield each
        yield from _subclasses(each)
