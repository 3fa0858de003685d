"""The tally of a turn's events."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from rules import Captured, Event, Flipped, Placed, Side, Tally, Text
from rules.dendria import Germinated, Moved, Sprouted
from rules.hedu import Raised, Reduced
from tests.support.each import for_each

DARK, LIGHT = Side
PLACED = Placed(DARK, 1)


def effects(*events: Event) -> str:
    return ", ".join(map(str, Tally(events).effects()))


@pytest.mark.parametrize(
    ("event", "costs"),
    [
        (Reduced(DARK, 2, 3, 1), False),
        (Reduced(DARK, 2, 3, 0), True),
        (Reduced(LIGHT, 2, 3, 0), False),
        (Captured(LIGHT, (2, 3)), True),
        (Captured(DARK, (2, 3)), False),
        (Flipped(LIGHT, (4,), (5,)), True),
        (Flipped(DARK, (4,), (5,)), False),
    ],
    ids=str,
)
def test_a_turn_costs_the_pieces_that_leave_the_board_or_change_sides(event: Event, costs: bool) -> None:
    assert Tally((PLACED, event)).costs_pieces is costs


MIXED = (Raised(LIGHT, 3, 1, 4), Raised(DARK, 2, 1, 2), Raised(LIGHT, 4, 1, 2))


@for_each(
    "case",
    [
        ((PLACED,), "", ""),
        ((PLACED, Flipped(DARK, (2, 3), (1,)), Flipped(LIGHT, (4,), (5,))), "flips 2 stones, loses 1 of its own", ""),
        ((Placed(LIGHT, 1), Captured(LIGHT, (2,)), Captured(LIGHT, (3, 4))), "captures 3 stones", ""),
        ((PLACED, Reduced(LIGHT, 2, 3, 1), Reduced(DARK, 3, 2, 1)), *("takes 2 prisoners, gives White 1 prisoner", "")),
        ((PLACED, Reduced(DARK, 2, 3, 1), Reduced(DARK, 3, 1, 0)), "gives White 3 prisoners", ""),
        ((Moved(DARK, 1, (2,)), Sprouted(DARK, 3), Germinated(DARK, (4,))), "sprouts 1 Seed, grows 1 Tree", ""),
        ((PLACED, Germinated(DARK, (4, 5))), "grows 2 Trees", ""),
        ((PLACED, Raised(DARK, 2, 1, 3), Raised(DARK, 3, 1, 2)), "", "Black's stacks grow by 3 levels"),
        ((PLACED, *MIXED), "", "Black's stacks grow by 1 level, White's by 4"),
        ((PLACED, Raised(LIGHT, 3, 1, 2)), "", "White's stacks grow by 1 level"),
    ],
)
def test_effects_and_growth_are_described_from_the_movers_view(case: tuple[tuple[Event, ...], str, str]) -> None:
    events, effect, grown = case
    assert (effects(*events), ", ".join(map(str, Tally(events).growth()))) == (effect, grown)


@pytest.mark.parametrize(
    ("reader", "loses", "gives"),
    [
        (DARK, "loses 2 of yours", "gives White 1 prisoner"),
        (LIGHT, "loses 2 of its own", "gives you 1 prisoner"),
        (None, "loses 2 of its own", "gives White 1 prisoner"),
    ],
)
def test_a_loss_addresses_the_side_that_reads_it(reader: Side | None, loses: str, gives: str) -> None:
    assert list(map(str, Tally((PLACED, Captured(LIGHT, (2, 3)))).effects(reader))) == [loses]
    assert list(map(str, Tally((PLACED, Reduced(DARK, 3, 2, 1))).effects(reader))) == [gives]


def test_gains_are_the_enemys_losses_and_the_movers_growth() -> None:
    did = (PLACED, Raised(DARK, 2, 1, 2), Raised(LIGHT, 3, 1, 2), Reduced(LIGHT, 4, 2, 1), Reduced(DARK, 5, 2, 1))
    gains = Tally(did).gains()
    assert list(map(str, (*gains.effects(), *gains.growth()))) == ["takes 1 prisoner", "Black's stacks grow by 1 level"]
    assert Tally((Placed(LIGHT, 1), Raised(DARK, 2, 1, 2))).gains().growth() == ()
    (grown,) = Tally((Placed(LIGHT, 1), Raised(LIGHT, 2, 1, 2))).gains().growth()
    assert str(grown) == "White's stacks grow by 1 level"


def test_changed_cells_are_tallied_by_kind_and_side() -> None:
    tally = Tally((PLACED, Flipped(DARK, (2, 3), (1,)), Flipped(LIGHT, (4,), (5,)), Captured(DARK, (6,))))
    assert tally.changed(Placed) == [1 << 1, 0]
    assert tally.flipped == [1 << 2 | 1 << 3, 1 << 4]
    assert tally.captured == [0, 1 << 6], "of the side that lost them"


@dataclass(frozen=True, slots=True)
class Burnt(Event):
    """A kind of event that no game here has: a burnt forest of the other side."""

    forest: tuple[int, ...]

    @property
    def changed_cells(self) -> tuple[int, ...]:
        return self.forest

    @property
    def loser(self) -> Side:
        return self.side.other

    @classmethod
    def effect(cls, amount: int) -> Text:
        return Text.counted("burns {count} tree", "burns {count} trees", amount)


def test_a_games_own_kind_of_event_is_tallied_like_the_others() -> None:
    assert effects(PLACED, Burnt(DARK, (2, 3)), Flipped(DARK, (4,), (1,))) == "burns 2 trees, flips 1 stone"
    assert effects(PLACED, Burnt(LIGHT, (2, 3)), Burnt(DARK, (4,))) == "burns 1 tree, loses 2 of its own"
    assert Tally((PLACED, Burnt(LIGHT, (2,)))).costs_pieces
    assert Tally((PLACED, Burnt(DARK, (2,)))).changed(Burnt) == [1 << 2, 0]
