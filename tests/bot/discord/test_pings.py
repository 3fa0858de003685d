"""Whom the bot pings: one person a turn, and nobody who does not want it."""

from __future__ import annotations

import pytest
from simcord import MemberActor

from bot.domain.matches import ProposalKind
from bot.domain.players import Player
from bot.domain.preferences import BoardCards
from tests.support.actions import ask, resigned
from tests.support.club import Club
from tests.support.thorough import covered

#: With a card for every turn, and with a living card and a message that pings.
BOTH_WAYS = pytest.mark.parametrize("board_cards", BoardCards)


async def leave_in_peace(club: Club, who: MemberActor) -> None:
    await club.app.settings.change_preferences(Player(who.id, "Somebody"), pings=False)


@pytest.mark.parametrize(("board_cards", "quiet"), covered(BoardCards, ["alice", "bob"]))
async def test_a_player_without_pings_is_named_and_not_mentioned(club: Club, quiet: str) -> None:
    silent, called = (club.alice, club.bob) if quiet == "alice" else (club.bob, club.alice)
    await leave_in_peace(club, silent)
    pinged: set[int] = set()

    def note() -> None:
        pinged.update(*(club.seen(message).pinged for message in club.messages()))

    await club.challenge(called, silent, size=5, first="challenger")
    note()
    assert f"<@{silent.id}>" in club.card().text
    await club.press(silent, "Accept")
    note()
    await club.move(called, "e5")
    note()
    await club.press(silent, "Play Light")
    note()
    await ask(club, called, ProposalKind.TAKE_BACK)
    note()
    await club.press(silent, "Decline")
    await ask(club, called, ProposalKind.DRAW)
    note()
    await club.press(silent, "Decline")
    await ask(club, silent, ProposalKind.ABANDON)
    assert club.card().pinged == (called.id,)
    await club.press(called, "Accept")
    assert club.card().pinged == ()
    await ask(club, called, ProposalKind.REMATCH)
    note()
    assert pinged == {called.id}


@BOTH_WAYS
async def test_showing_the_board_pings_nobody_and_a_resignation_pings_the_winner(club: Club) -> None:
    await club.match(turns=["e5"])
    await club.slash(club.alice, "board")
    assert club.card().pinged == ()
    await resigned(club, club.alice)
    assert club.card().pinged == (club.bob.id,)
