"""/profile: a player's results and ratings."""

from __future__ import annotations

from typing import Any

from simcord import MemberActor

from bot.domain.places import Place
from tests.support.discord.actions import beat
from tests.support.discord.club import Club, plain
from tests.support.services.house import house_beside
from tests.support.services.matches import HEDU


async def test_a_profile_shows_ratings_results_and_two_pictures_privately(club: Club) -> None:
    await beat(club, club.bob, club.alice)
    answer = await club.slash(club.alice, "profile")
    assert "**Favourite openings** in Dalen, size 5: `e5` ×1" in answer.private
    assert answer.messages[0].pictures == (), "a single game makes none"
    await won(club, club.bob, club.carol)
    same_day = await club.slash(club.alice, "profile", player=club.bob)
    assert same_day.messages[0].pictures == (), "a curve needs two days"
    await club.env.advance_time(24 * 60 * 60)
    await won(club, club.bob, club.carol)
    answer = await club.slash(club.alice, "profile", player=club.bob)
    text = plain(answer.private)
    assert "### 👤 Bob" in text
    assert "**All games** 15" in text
    assert "**Dalen** 15" in text
    assert "**Results** 3 wins · won the last 3 matches, the longest streak" in text
    assert "Alice: 1 win" in text
    assert "**Against you** 1 win" in text
    assert "Sides" not in text, "they differ from game to game"
    assert "Aborted" not in text
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
    assert "**Results** 2 losses" in text
    assert "**Sides** Dark: 2 losses" in text
    assert "**Sizes** 5: 2 losses" in text
    answer = await club.slash(club.alice, "profile", game="nadraz")
    assert "No finished match of Nadraz yet." in answer.private
    assert "Aborted" not in answer.private
    assert answer.messages[0].labels == ("Start a game", "Learn in 3 minutes")
    await club.press(club.alice, "Start a game", on=answer.private_handle)
    assert "### 🐍 Nadraz" in club.seen(answer.private_handle).text


async def won(club: Club, winner: MemberActor, loser: MemberActor, **how: Any) -> None:
    """A match of the server whose loser opens and resigns, stored without its cards."""
    async with house_beside(club.config, club.env.now()) as house:
        here = Place(club.guild.id, club.channel.id)
        await house.beat(club.player(winner), club.player(loser), place=here, **how)


async def test_a_new_player_has_an_empty_profile(club: Club) -> None:
    shown = (await club.slash(club.alice, "profile", player=club.join("*bold*"))).card
    assert "No finished match yet." in shown.text
    assert shown.labels == ("Start a game", "Learn")
    assert shown.pictures == ()


async def test_casual_games_have_results_but_no_rating(club: Club) -> None:
    await won(club, club.bob, club.alice, rated=False)
    answer = await club.slash(club.alice, "profile")
    assert "**Results** 1 loss · lost the last match" in plain(answer.private)
    assert "**Dalen** 1 loss" in plain(answer.private)
    assert "±" not in answer.private.partition("Rated and")[0]
