"""/leaderboard: the best players by place, time and order, page by page, always with the reader's own rank."""

from __future__ import annotations

from typing import Any

import pytest
from simcord import MemberActor

from bot.domain.matches import ProposalKind
from bot.domain.places import Place
from bot.domain.players import Player
from render.geometry import WIDTH
from tests.support.discord.actions import beat
from tests.support.discord.club import Answer, Club, Seen, plain
from tests.support.services.counts import counting
from tests.support.services.house import house_beside
from tests.support.services.matches import PLAYED


async def leaderboard(club: Club, who: MemberActor, **options: Any) -> tuple[Answer, Seen]:
    cards = len(club.cards())
    answer = await club.slash(who, "leaderboard", **options)
    assert len(club.cards()) == cards
    (seen,) = answer.messages
    assert seen.private
    return answer, seen


async def test_the_picture_is_described_and_menus_lead_to_other_leaderboards(club: Club) -> None:
    _, seen = await leaderboard(club, club.alice)
    assert "Nobody has finished a rated match here yet." in seen.text
    assert seen.labels == ("Start a game", "Learn")
    assert seen.pictures == ()
    await beat(club, club.bob, club.alice)
    with counting(club.app.database) as counts:
        answer, seen = await leaderboard(club, club.alice, game="dalen", by="wins")
    assert counts.names_on_the_loop == []
    assert seen.texts[0] == "### 🏆 Leaderboard · Dalen"
    assert "You: **#2** of 2 · 1 loss" in plain(seen.text)
    assert seen.descriptions == ("Dalen · Club. By wins · all time · 2 players. 1. Bob 1 win; 2. Alice 0 wins.",)
    assert club.picture(seen).width == WIDTH
    _, seen = await leaderboard(club, club.carol)
    assert "You are not on this leaderboard yet" in seen.text
    assert "unranked Bob 1534? ± 342; unranked Alice 1466? ± 342." in plain(seen.descriptions[0])
    for choice, expected in (
        ("order-streak", "By longest winning streak"),
        ("game--", "All games · Club"),
        ("period-season", "this season"),
        ("scope-friends", "All games · people I have played"),
        ("game-dalen", "Dalen · people I have played"),
        ("scope-everywhere", "everywhere"),
    ):
        await club.choose(club.alice, choice, on=answer.private_handle)
        (now,) = answer.messages
        assert expected in now.descriptions[0]
        assert len(now.files) == 1
    await club.restart()
    await club.choose(club.alice, "game-hedu", on=answer.private_handle)
    (now,) = answer.messages
    assert "Nobody has finished a rated match in this period yet" in now.text
    assert now.pictures == ()
    await club.choose(club.alice, "game--", on=answer.private_handle)
    assert len(answer.messages[0].pictures) == 1


async def test_buttons_turn_the_pages_and_show_names_in_any_script(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.services.ratings._PAGE", 5)
    alice, strange = club.player(club.alice), ("Анна", "深圳", "👑", "\u202eabc", "𝓐𝓵ice", "x" * 32, "مرحبا", "*_~`|")
    async with house_beside(club.config, club.env.now()) as house:
        for number, name in enumerate(strange):
            await house.beat(Player(1000 + number, name), alice, place=Place(club.guild.id, 1))
    answer, seen = await leaderboard(club, club.alice, by="wins")
    assert seen.labels == ("Next", "My rank")
    assert "You: **#9** of 9" in seen.text
    assert "9. Alice 0 wins" in seen.descriptions[0]
    await club.restart()
    await club.press(club.alice, "Next", on=answer.private_handle)
    (last,) = answer.messages
    assert last.labels == ("Back",)
    assert "page 2 of 2" in last.descriptions[0]
    for name in ("Анна", "深圳", "👑", "مرحبا"):
        assert name in f"{seen.descriptions}{last.descriptions}"
    assert club.picture(seen).width == club.picture(last).width == WIDTH
    await club.press(club.alice, "Back", on=answer.private_handle)
    await club.press(club.alice, "My rank", on=answer.private_handle)
    assert "page 2 of 2" in answer.messages[0].descriptions[0]
    # An outdated button is answered in words.
    await club.press(club.alice, "Back", on=answer.private_handle)
    for shown in ("dalen.server.all", "chess.server.all.wins", "dalen.server.week.wins", "...."):
        forged = await club.forge(club.alice, f"hexgrove:leaderboard:{shown}:2", on=answer.private_handle)
        assert "an earlier version" in forged.private, shown


# Ratings on the cards of a match


async def test_the_last_card_says_how_ratings_change_or_why_not(club: Club) -> None:
    card = await beat(club, club.bob, club.alice)
    assert "📈 Alice 1466? ± 342 (−34) · Bob 1534? ± 342 (+34)" in plain(card.text)
    assert "📈 Bob 1498? ± 333 (−36) · Alice" in plain((await beat(club, club.alice, club.bob)).text)
    await club.match()
    await club.resign(club.alice)
    assert "It ended before both players had made two turns, so ratings do not change." in club.card().text
    abandoned = await club.match(turns=PLAYED)
    offered = await club.app.proposals.propose(abandoned.id, club.alice.id, ProposalKind.ABANDON, shown_by_caller=True)
    await club.app.proposals.accept(offered.id, club.bob.id, shown_by_caller=True)
    await club.show(abandoned.id)
    assert "ratings" not in club.card().text, "everybody knows"
    await club.challenge(club.alice, club.bob, size=5, first="challenger", rated=False)
    assert "**Dalen, size 5 · casual**" in club.card().text
    await club.press(club.bob, "Accept")
    assert "Dalen, size 5 · casual" in club.card().text
    await club.play_quietly((await club.newest_match()).id, PLAYED)
    await club.resign(club.alice)
    assert "This was a casual match, so ratings do not change." in club.card().text
