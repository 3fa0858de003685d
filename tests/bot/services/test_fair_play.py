"""Who is helped with which position."""

from __future__ import annotations

import pytest

import rules
from bot.domain.computer import SamePositionError
from bot.domain.matches import Step
from bot.domain.places import Place
from bot.domain.players import Player
from bot.services import fair_play
from bot.services.fair_play import FairPlay
from bot.services.matches import Matches
from bot.storage import Storage
from rules import Ruleset
from tests.support.services import ALICE, BOB, CAROL, DALEN, play_turn, start


@pytest.mark.both_databases
async def test_of_many_matches_only_those_are_replayed_that_have_moved_on(
    matches: Matches, storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    replayed, replay = list[int](), fair_play._replay

    def count(rulesets: dict[tuple[int, int], Ruleset], steps: dict[tuple[int, int], tuple[Step, ...]]) -> object:
        replayed.append(len(steps))
        return replay(rulesets, steps)

    monkeypatch.setattr(fair_play, "_replay", count)
    running = [
        await start(matches, Player(1000 + number, "Somebody"), ALICE, Place(1, 100 + number), turns=("e5", "light"))
        for number in range(12)
    ]
    fair, position = FairPlay(storage), DALEN.replay(("e5", "light", "d4"))
    await fair.check(ALICE.id, position)
    assert sum(replayed) == len(running)
    assert max(replayed) <= 10, "others get their turn in between"
    await fair.check(ALICE.id, position)
    await fair.check(BOB.id, position)
    assert sum(replayed) == len(running)
    game = await matches.game(running[7].id)
    assert game.to_act is not None
    await play_turn(matches, game.match.id, game.to_act.id, "d4")
    with pytest.raises(SamePositionError):
        await fair.check(ALICE.id, position)
    assert sum(replayed) == len(running) + 1
    await fair.check(CAROL.id, position)
    await matches.resign(game.match.id, ALICE.id)
    await fair.check(ALICE.id, position)


async def test_a_position_is_the_same_however_the_game_began(matches: Matches, storage: Storage) -> None:
    continued = rules.continued(DALEN, ("e5", "light", "d4"))
    await start(matches, ruleset=continued, turns=("e7",))
    fair = FairPlay(storage)
    for same in (
        DALEN.replay(("e5", "light", "d4", "e7")),
        continued.replay(("e7",)),
        rules.with_setup(DALEN, "●e5 ●e7 ○d4 light").start(),
    ):
        with pytest.raises(SamePositionError):
            await fair.check(ALICE.id, same)
    await fair.check(ALICE.id, DALEN.replay(("e5", "light", "d4")))
