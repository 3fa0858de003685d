"""Tests that try all their cases in one go, since to pytest a test of its own costs more than many a case."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

import pytest

Test = Callable[..., None]


def for_each(name: str, values: Iterable[Any], shown: Callable[[Any], object] = str) -> Callable[[Test], Test]:
    """Call a test with each of the values. All of them are tried, and the failure names those for which it fails."""
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
        others = [each for each in signature.parameters.values() if each.name != name]
        loop.__signature__ = signature.replace(parameters=others)  # type: ignore[attr-defined]
        return loop

    return decorated
