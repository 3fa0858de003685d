"""The parts of the scores of finished games."""

from __future__ import annotations

import pytest

from rules import SCORE, Ruleset, Side, ruleset
from rules.nadraz import Nadraz
from tests.support.each import for_each
from tests.support.positions import SMALLEST, end, ids
from tests.support.thorough import sample

SEEDS = range(8)


@for_each("ruleset", SMALLEST, ids)
def test_the_parts_add_up_to_the_score(ruleset: Ruleset) -> None:
    for seed in sample(SEEDS, 4):
        position = end(ruleset, seed)
        parts = position.score_parts()
        assert parts or (position.outcome is not None and position.outcome.reason != SCORE)
        assert position.score() or not parts
        for side, score in zip(Side, position.score().values(), strict=False):
            values = [(part.first, part.second)[side] for part in parts]
            if parts and not isinstance(score, list):
                assert sum(value for value in values if not isinstance(value, str)) == score


def compared(lengths: str) -> list[int]:
    """Read the lengths of snakes from a text such as ``9 ×2, 4``."""
    found = []
    for run in lengths.split(", "):
        length, _, count = run.partition(" ×")
        found += [int(length)] * int(count or 1)
    return found


@pytest.mark.parametrize("variant", Nadraz.variants)
def test_the_shown_snakes_of_nadraz_decide_the_game(variant: str) -> None:
    reverse = variant == "reverse"
    for seed in SEEDS:
        position = end(Ruleset(Nadraz, 6, variant), seed)
        assert isinstance(position, Nadraz)
        (part,) = position.score_parts()
        shown = []
        for side in Side:
            lengths, text = sorted(position.lengths(side), reverse=not reverse), str((part.first, part.second)[side])
            shown.append(compared(text))
            assert shown[side] == lengths[: len(shown[side])]
        leader = position.leader()
        if leader is not None:
            assert shown[0] != shown[1]
            assert shown[0][:-1] == shown[1][: len(shown[0]) - 1] or shown[1][:-1] == shown[0][: len(shown[1]) - 1]


@pytest.mark.parametrize(
    ("before", "after", "amount", "said"),
    [
        ((2, 4), (3, 12), 7, "Light's lead grows from 2 to 9"),
        ((9, 1), (9, 6), 5, "Dark's lead shrinks from 8 to 3"),
        ((5, 2), (3, 7), 7, "Light takes the lead: from 3 behind to 4 ahead"),
        ((4, 4), (9, 4), 5, "Dark takes the lead by 5"),
        ((1, 7), (6, 6), 6, "Light loses its lead of 6"),
    ],
)
def test_a_swing_says_how_the_lead_changed(
    before: tuple[int, int], after: tuple[int, int], amount: int, said: str
) -> None:
    start = ruleset("dalen", 5).start()
    one, other = (
        start.changed(first=(1 << first) - 1, second=((1 << second) - 1) << 20) for first, second in (before, after)
    )
    swing = one.swing(other)
    assert swing is not None
    assert (swing.amount, str(swing.text)) == (amount, said)
