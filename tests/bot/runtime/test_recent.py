"""A mapping of bounded size keeps what was set last."""

from __future__ import annotations

from bot.runtime.recent import Recent


def test_the_value_that_was_set_longest_ago_goes_first() -> None:
    recent = Recent[str, int](2)
    recent["a"], recent["b"], recent["a"], recent["c"] = 1, 2, 3, 4
    assert dict(recent) == {"a": 3, "c": 4}


def test_the_oldest_values_go_once_they_are_stale() -> None:
    stale = {1}
    recent = Recent[str, int](9, lambda value: value in stale)
    recent["a"] = 1
    assert not recent
    recent["b"], recent["c"], recent["d"] = 2, 3, 4
    stale.update((2, 4))
    recent["e"] = 5
    assert [*recent] == ["c", "d", "e"]
