"""Profiles: results, openings and streaks."""

from __future__ import annotations

import rules
from bot.domain.competitions.leaderboards import Results, Streak
from bot.domain.matches import ProposalKind
from bot.domain.places import Viewer
from tests.support.services.house import House
from tests.support.services.matches import ALICE, BOB, CAROL, DALEN, HEDU, PLACE


async def test_results_are_listed_by_game_side_size_and_opponent(house: House) -> None:
    await house.beat(BOB, ALICE)  # Alice opens and plays Dark
    await house.beat(ALICE, BOB)  # Bob opens, Alice plays Light
    await house.draw(ALICE, CAROL, ruleset=HEDU)
    await house.beat(ALICE, CAROL, ruleset=rules.ruleset("dalen", 7), rated=False)
    profile = await house.ratings.profile(ALICE, Viewer(BOB.id, PLACE))
    assert profile.results == Results(2, 1, 1)
    assert profile.by_game == {"dalen": Results(2, 0, 1), "hedu": Results(0, 1, 0)}
    assert profile.by_side == {"dark": Results(0, 0, 1), "light": Results(2, 0, 0), "black": Results(0, 1, 0)}
    assert profile.by_size[("dalen", 5)] == Results(1, 0, 1)
    assert profile.by_size[("dalen", 7)] == Results(1, 0, 0)
    own = await house.ratings.profile(ALICE, Viewer(ALICE.id, PLACE))
    assert own.by_opponent == {BOB: Results(1, 0, 1), CAROL: Results(1, 1, 0)}
    assert profile.by_opponent == {BOB: Results(1, 0, 1)}, "Bob cannot view where the others were played"
    assert profile.against_viewer == Results(1, 0, 1)
    assert (profile.streak, profile.longest) == (Streak(1, 1), 1)
    assert set(profile.ratings) == {"", "dalen", "hedu"}
    assert len(profile.history) == 3
    of_one = await house.ratings.profile(ALICE, Viewer(CAROL.id, PLACE), "hedu")
    assert of_one.results == Results(0, 1, 0)
    assert len(of_one.history) == 1


async def test_openings_are_ones_own_as_they_stood_in_the_end(house: House) -> None:
    for cell in ("e5", "e5", "d4"):
        await house.beat(ALICE, BOB, turns=("c3", "light", "d4", "a1"))
        await house.beat(BOB, ALICE, turns=(cell, "light", "d5", "a1"))
    again = await house.start(ALICE, BOB, turns=("a1",))
    await house.agree(again, ProposalKind.TAKE_BACK)
    await house.play_on(again, "e1", "dark", "d4", "c3")
    await house.resign(again, BOB)
    profile = await house.ratings.profile(ALICE, Viewer(BOB.id, PLACE))
    assert profile.openings_ruleset == DALEN
    assert profile.openings == {"e5": 2, "d4": 1, "e1": 1}
    assert profile.by_side == {"light": Results(4, 0, 0), "dark": Results(0, 0, 3)}


async def test_runs_are_of_the_latest_games(house: House) -> None:
    for winner, loser in ((ALICE, BOB), (ALICE, BOB), (BOB, ALICE), (BOB, ALICE), (BOB, ALICE)):
        await house.beat(winner, loser)
    profile = await house.ratings.profile(ALICE, Viewer(CAROL.id, PLACE))
    assert (profile.streak, profile.longest) == (Streak(0, 3), 2)
    assert profile.against_viewer is None
