"""The earlier states of a game of Dendria."""

from __future__ import annotations

import pickle
import random

import pytest

from rules import PASS, Ruleset, Side
from rules.dendria import Dendria
from rules.dendria.history import State, StateHistory


def state(number: int) -> State:
    return number, 0, Side.FIRST


def line_of(length: int) -> list[StateHistory]:
    """A list of histories, each continuing the previous one."""
    line = [StateHistory([state(0)])]
    for number in range(1, length):
        line.append(line[-1].and_then(state(number)))
    return line


def test_a_history_contains_its_own_states_but_no_later_ones() -> None:
    for length, history in enumerate(line_of(50), 1):
        assert len(history) == length
        assert list(history) == [state(number) for number in range(length)]
        assert [state(number) in history for number in range(50)] == [number < length for number in range(50)]


def test_a_pickled_history_contains_only_its_own_states() -> None:
    line = line_of(50)
    sizes = [len(pickle.dumps(history)) for history in line]
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[-1] / 4
    assert pickle.loads(pickle.dumps(line[20])) == line[20]  # noqa: S301


def test_continuations_of_the_same_history_do_not_see_each_other() -> None:
    line = line_of(5)
    branches = [line[2].and_then(state(number)) for number in (3, 30, 31)]
    branches.append(branches[1].and_then(state(40)))
    assert [list(branch)[3:] for branch in branches] == [[state(3)], [state(30)], [state(31)], [state(30), state(40)]]
    assert state(30) not in line[4]
    assert state(4) not in branches[0]
    assert line[4] == StateHistory(map(state, range(5)))


def test_histories_are_equal_when_they_have_the_same_states() -> None:
    one, other = StateHistory(map(state, (1, 2, 3))), StateHistory(map(state, (3, 1, 2)))
    assert one == other
    assert hash(one) == hash(other)
    assert one != StateHistory(map(state, (1, 2, 4)))
    assert one != StateHistory(map(state, (1, 2)))
    # A repeated state adds nothing.
    assert len(one.and_then(state(2))) == len(StateHistory(map(state, (1, 1, 2, 3)))) == 3


@pytest.mark.parametrize("length", [100, 400])
def test_a_long_stretch_of_reversible_turns_keeps_each_state_once(length: int) -> None:
    """All kept positions of a game, for example of a film, share one table of states."""
    position = Ruleset(Dendria, 7, "standard").replay(["d4", "dark", "j10"])
    assert isinstance(position, Dendria)
    position = position.changed(seeds=0, dryads=position.first | position.second)
    chance, kept = random.Random(length), [position]
    while len(position.earlier) < length:
        moves = [turn for turn in position.legal_turns if "-" in turn]
        position, _ = position.play(chance.choice(moves))
        kept.append(position)
        assert position.outcome is None
    tables = {id(history.earlier._states): len(history.earlier._states) for history in kept[1:]}
    assert sum(tables.values()) <= length + 2
    assert PASS in position.legal_turns
