"""/profile: how somebody plays."""

from __future__ import annotations

from typing import Any

from simcord import MemberActor

import rules
from bot.domain.competitions.leaderboards import Results, Streak
from bot.domain.matches import ProposalKind
from bot.domain.places import Place, Viewer
from tests.support.actions import beat
from tests.support.club import Club, plain, seen
from tests.support.house import House, house_beside
from tests.support.services import ALICE, BOB, CAROL, DALEN, HEDU, PLACE


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


async def test_a_profile_shows_ratings_results_and_two_pictures_privately(club: Club) -> None:
    await beat(club, club.bob, club.alice)
    answer = await club.slash(club.alice, "profile")
    assert "**Favourite openings** in Dalen, size 5: `e5` ×1" in answer.private
    assert answer.messages[0].pictures == (), "a single game makes none"
    await won(club, club.bob, club.carol)
    answer = await club.slash(club.alice, "profile", player=club.bob)
    text = plain(answer.private)
    assert "### 👤 Bob" in text
    assert "**All games** 15" in text
    assert "**Dalen** 15" in text
    assert "**Results** +2 =0 −0 in 2 matches · won the last 2 matches, the longest streak" in text
    assert "**Sides** Light +2 =0 −0" in text
    assert "**Sizes** Dalen 5 +2 =0 −0" in text
    assert "Alice +1 =0 −0" in text
    assert "**Against you** +1 =0 −0" in text
    assert "Favourite openings" not in text
    (shown,) = answer.messages
    assert len(shown.pictures) == 1
    assert shown.descriptions[0].startswith("Bob's rating over time, All games: from 1534 on ")
    await won(club, club.bob, club.alice)
    answer = await club.slash(club.alice, "profile")
    assert "**Favourite openings** in Dalen, size 5: `e5` ×2" in answer.private
    (shown,) = answer.messages
    assert [description.split()[0] for description in shown.descriptions] == ["Alice's", "Where"]
    assert len(shown.files) == 2
    await won(club, club.bob, club.alice, ruleset=HEDU, turns=("e5", "white"))
    text = plain((await club.slash(club.alice, "profile", game="dalen")).private)
    assert "### 👤 Alice · Dalen" in text
    assert "All games" not in text
    assert "Hedu" not in text
    assert "in 2 matches" in text
    assert "0 of 2 matches" in text
    answer = await club.slash(club.alice, "profile", game="nadraz")
    assert "No finished match of Nadraz yet." in answer.private
    assert "Aborted" not in answer.private
    assert answer.messages[0].labels == ("Start a game", "Learn Nadraz")
    await club.press(club.alice, "Start a game", on=answer.private_handle)
    assert "### 🐍 Nadraz" in seen(club.env, answer.private_handle).text


async def won(club: Club, winner: MemberActor, loser: MemberActor, **how: Any) -> None:
    """A match of the server whose loser opens and resigns, stored without its cards."""
    async with house_beside(club.config, club.env.now()) as house:
        here = Place(club.guild.id, club.channel.id)
        await house.beat(club.player(winner), club.player(loser), place=here, **how)


async def test_a_player_of_the_computer_alone_has_no_rating_and_may_start(club: Club) -> None:
    await club.slash(club.alice, "challenge", game="dalen", level=1)
    match = await club.newest_match()
    await club.app.matches.resign(match.id, club.alice.id, shown_by_caller=True)
    (card,) = (await club.slash(club.alice, "profile")).messages
    assert "**Against the computer** level 1 +0 =0 −1" in plain(card.text)
    assert "+ won, = drawn, − lost." in card.text
    assert "rating" not in card.text
    assert card.labels == ("Start a game", "Learn")


async def test_somebody_who_has_not_played_has_an_empty_profile(club: Club) -> None:
    for name in ("Анна", "*bold*", "x" * 32):
        answer = await club.slash(club.alice, "profile", player=club.join(name))
        assert "No finished match yet." in answer.private, name
        assert answer.messages[0].labels == ("Start a game", "Learn")
        assert answer.messages[0].pictures == ()


async def test_casual_games_have_results_but_no_rating(club: Club) -> None:
    await won(club, club.bob, club.alice, rated=False)
    answer = await club.slash(club.alice, "profile")
    assert "**Results** +0 =0 −1 in 1 match · lost the last match" in plain(answer.private)
    assert "**Dalen** +0 =0 −1" in plain(answer.private)
    assert "±" not in answer.private.partition("+ won")[0]
