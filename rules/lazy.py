"""Values that are computed once, on first access.

Two threads may compute a value twice; since positions never change, the results are equal.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Generic, TypeVar, cast

from rules.side import Side

T = TypeVar("T")


class lazy(Generic[T]):  # noqa: N801 (it is used like a decorator of the standard library)
    """``functools.cached_property`` without its lock, which costs more than most rules before Python 3.12."""

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute = compute
        self._name = compute.__name__
        self.__doc__ = compute.__doc__

    def __get__(self, instance: Any, owner: type[Any]) -> T:
        if instance is None:
            return self  # type: ignore[return-value]
        value = instance.__dict__[self._name] = self._compute(instance)
        return value


def by_side(compute: Callable[[Any], tuple[T, T]]) -> Callable[[Any, Side], T]:
    """Turn a computation for both sides into a method that takes a side."""

    @wraps(compute)
    def value_of(instance: Any) -> Callable[[int], T]:
        return compute(instance).__getitem__

    return cast("Callable[[Any, Side], T]", lazy(value_of))
