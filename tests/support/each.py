"""Tests that try all their cases in one go, since to pytest a test of its own costs more than many a case."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

Test = Callable[..., None]


def for_each(name: str, values: Iterable[Any], shown: Callable[[Any], object] = str) -> Callable[[Test], Test]:
    """Call a test with each of the values. The failure names the one for which it fails."""
    cases = list(values)

    def decorated(test: Test) -> Test:
        @wraps(test)
        def loop(**fixtures: object) -> None:
            for value in cases:
                try:
                    test(**{name: value}, **fixtures)
                except BaseException as error:
                    error.add_note(f"{name}: {shown(value)}")
                    raise

        signature = inspect.signature(test)
        others = [each for each in signature.parameters.values() if each.name != name]
        loop.__signature__ = signature.replace(parameters=others)  # type: ignore[attr-defined]
        return loop

    return decorated
