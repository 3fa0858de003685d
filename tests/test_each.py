"""Small cases in one test: a run names all that fail."""

from __future__ import annotations

import traceback

import pytest

from tests.support.each import for_each


def test_all_failures_of_a_loop_over_cases_are_reported_together() -> None:
    @for_each("number", range(5))
    def even(number: int) -> None:
        assert number % 2 == 0

    with pytest.raises(ExceptionGroup, match="2 of 5 cases fail") as caught:
        even()
    told = "".join(traceback.format_exception(caught.value))
    assert "number: 1" in told
    assert "number: 3" in told


def test_the_only_failure_stands_alone_with_its_case() -> None:
    @for_each("number", [3, 4])
    def odd(number: int) -> None:
        if number == 4:
            pytest.fail("it is even")

    with pytest.raises(pytest.fail.Exception, match="it is even") as caught:
        odd()
    assert caught.value.__notes__ == ["number: 4"]
