"""Limits on how much one person uses at once."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from bot.runtime.at_once import AtOnce

ALICE, BOB, CAROL = 1, 2, 3


def test_a_person_gets_only_so_much_and_all_together_no_more_than_there_is() -> None:
    rooms = AtOnce(2, 4, PermissionError)
    with ExitStack() as others:
        others.enter_context(rooms.room(BOB))
        with rooms.room(ALICE), rooms.room(ALICE):
            with pytest.raises(PermissionError), rooms.room(ALICE):
                pass
            others.enter_context(rooms.room(None))
            for person in (CAROL, None):
                with pytest.raises(PermissionError), rooms.room(person):
                    pass
        with pytest.raises(ZeroDivisionError), rooms.room(ALICE):
            raise ZeroDivisionError
        others.enter_context(rooms.room(None))
        assert len(rooms) == 3
    assert len(rooms) == 0
