"""Lets the storage fail."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from bot.storage.repository import Repository


def patch_storage(patch: pytest.MonkeyPatch, name: str, method: Callable[..., Awaitable[object]]) -> None:
    """Put something in place of a method of a repository, such as ``MatchRepository.add_step``."""
    repository, _, own = name.partition(".")
    (kind,) = (each for each in Repository.__subclasses__() if each.__name__ == repository)
    patch.setattr(kind, own, method)
