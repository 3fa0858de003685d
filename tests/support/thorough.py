"""Thorough tests try everything, which takes much longer: set ``HEXGROVE_THOROUGH=1`` in the environment."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any, TypeVar

import pytest

T = TypeVar("T")

THOROUGH = bool(os.environ.get("HEXGROVE_THOROUGH"))


def fewer(count: int, by: int) -> int:
    """Divide a number of examples, unless the tests are thorough."""
    return count if THOROUGH else max(1, count // by)


def sample(values: Sequence[T], every: int) -> Sequence[T]:
    """Every nth value, or all values if the tests are thorough."""
    return values if THOROUGH else values[::every]


def covered(*axes: Iterable[Any]) -> list[tuple[Any, ...]]:
    """Cases that cover each value of each axis, or all combinations if the tests are thorough."""
    values = [list(axis) for axis in axes]
    if THOROUGH:
        return list(product(*values))
    return [tuple(axis[number % len(axis)] for axis in values) for number in range(max(map(len, values)))]


def on_databases(metafunc: pytest.Metafunc) -> None:
    """Run a test on SQLite, and also on PostgreSQL if it is marked ``both_databases`` or the tests are thorough."""
    if "backend" in metafunc.fixturenames and not hasattr(metafunc.module, "backend"):
        both = THOROUGH or metafunc.definition.get_closest_marker("both_databases") is not None
        metafunc.parametrize("backend", ["sqlite", "postgresql"] if both else ["sqlite"], scope="module")
