"""Free memory is returned to the system if the C library can do that; otherwise nothing happens."""

from __future__ import annotations

import ctypes

import pytest

from bot.__main__ import return_free_memory


def test_free_memory_is_returned_and_used_memory_stays() -> None:
    kept = [bytes([number % 256]) * 1000 for number in range(1000)]
    return_free_memory()
    assert all(block == bytes([number % 256]) * 1000 for number, block in enumerate(kept))


@pytest.mark.parametrize("failure", [AttributeError, OSError, TypeError])
def test_other_c_libraries_are_not_called(monkeypatch: pytest.MonkeyPatch, failure: type[Exception]) -> None:
    def absent(_name: object) -> object:
        raise failure

    monkeypatch.setattr(ctypes, "CDLL", absent)
    return_free_memory()
