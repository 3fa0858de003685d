"""Memory is given back to the system where the C library can do that, and nothing happens where it cannot."""

from __future__ import annotations

import ctypes

import pytest

from render import heap


def test_free_memory_is_given_back_and_what_is_kept_stays() -> None:
    kept = [bytes([number % 256]) * 1000 for number in range(1000)]
    heap.trim()
    assert all(each == bytes([number % 256]) * 1000 for number, each in enumerate(kept))


@pytest.mark.parametrize("failure", [AttributeError, OSError, TypeError])
def test_other_c_libraries_are_left_alone(monkeypatch: pytest.MonkeyPatch, failure: type[Exception]) -> None:
    def absent(_name: object) -> object:
        raise failure

    monkeypatch.setattr(ctypes, "CDLL", absent)
    heap.trim()
