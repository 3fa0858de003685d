"""Tests that try all their cases in one go, because many cases are cheaper than pytest's overhead for a test."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

import pytest

Test = Callable[..., None]


def for_each(name: str, values: Iterable[Any], shown: Callable[[Any], object] = str) -> Callable[[Test], Test]:
    """Call a test with every value. All are tried, and the failure names each value that failed."""
    cases = list(values)

    def decorated(test: Test) -> Test:
        @wraps(test)
        def loop(**fixtures: object) -> None:
            failures = []
            for value in cases:
                try:
                    test(**{name: value}, **fixtures)
                except (Exception, pytest.fail.Exception) as error:
                    error.add_note(f"{name}: {shown(value)}")
                    failures.append(error)
            if len(failures) > 1:
                raise BaseExceptionGroup(f"{len(failures)} of {len(cases)} cases fail", failures)
            if failures:
                raise failures[0]

        signature = inspect.signature(test)
        others = [parameter for parameter in signature.parameters.values() if parameter.name != name]
        loop.__signature__ = signature.replace(parameters=others)  # type: ignore[attr-defined]
        return loop

    return decorated
