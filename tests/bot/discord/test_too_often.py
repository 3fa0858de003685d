"""Limits on what pings others or is visible to everyone. Ordinary play never meets them."""

from __future__ import annotations

from typing import Any

from bot.domain.limits import IN_VAIN_LIMIT, POST_LIMIT
from tests.support.discord.club import Club


def pings(club: Club, who: Any) -> int:
    """Count the pings of a player."""
    return sum(who.id in (request.json or {})["allowed_mentions"]["users"] for request in club.posts())


async def test_repeated_draw_offers_ping_only_a_few_times(club: Club) -> None:
    await club.match(game="hedu", turns=["e5"])
    before = pings(club, club.bob)
    for _ in range(IN_VAIN_LIMIT.most):
        assert (await club.slash(club.alice, "draw")).nothing
        await club.press(club.alice, "Withdraw")
    answer = await club.slash(club.alice, "draw")
    assert pings(club, club.bob) - before == IN_VAIN_LIMIT.most
    assert answer.private.startswith("You have asked Bob several times, and they have not agreed. Give them some")
    assert "you can ask again <t:" in answer.private
    await club.restart()
    assert not (await club.slash(club.alice, "draw")).nothing
    assert not (await club.slash(club.alice, "undo")).nothing, "of whatever kind"
    assert (await club.slash(club.bob, "draw")).nothing, "the other one may"
    await club.press(club.bob, "Withdraw")
    await club.env.advance_time(IN_VAIN_LIMIT.span.total_seconds())
    assert (await club.slash(club.alice, "draw")).nothing


async def test_repeated_challenges_to_one_player_are_limited(club: Club) -> None:
    for _ in range(IN_VAIN_LIMIT.most):
        await club.challenge(club.alice, club.bob)
        await club.press(club.alice, "Withdraw")
    before = pings(club, club.bob)
    answer = await club.slash(club.alice, "challenge", game="dalen", opponent=club.bob)
    assert answer.private.startswith("You have challenged Bob several times, and they have not accepted. Give them")
    assert "you can challenge them again <t:" in answer.private
    assert pings(club, club.bob) == before
    await club.challenge(club.alice, club.carol)
    await club.challenge(club.bob, club.alice)
    await club.env.advance_time(IN_VAIN_LIMIT.span.total_seconds())
    await club.press(club.bob, "Withdraw")
    await club.challenge(club.alice, club.bob)


async def test_public_boards_are_limited(club: Club) -> None:
    await club.match(turns=["e5"])
    before = len(club.boards())
    answers = [await club.slash(club.alice, "board") for _ in range(POST_LIMIT.most + 1)]
    assert len(club.boards()) - before == POST_LIMIT.most
    assert answers[-1].private.startswith("You have shown everyone here a lot of boards in a few minutes.")
    assert "You can show the next one <t:" in answers[-1].private
    await club.restart()
    assert not (await club.slash(club.alice, "board")).nothing
    assert (await club.slash(club.bob, "board")).nothing
    overlay = await club.slash(club.alice, "board", overlay="legal turns")
    assert overlay.messages[0].pictures, "what only one sees is nobody else's matter"
    handle = await club.open(club.alice, "replay")
    assert "You have shown everyone here a lot of boards" in (await club.press(club.alice, "Share", handle)).private
    await club.move(club.bob, "light")
    await club.env.advance_time(POST_LIMIT.span.total_seconds())
    assert (await club.slash(club.alice, "board")).nothing
