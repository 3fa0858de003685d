"""A nudge reminds a slow opponent, but not often, and nobody who does not want it."""

from __future__ import annotations

from bot.domain.limits import NUDGE_AFTER, NUDGE_AGAIN
from tests.support.club import Answer, Club


async def press_nudge(club: Club) -> Answer:
    """Let Alice nudge the opponent of the first of her matches."""
    return await club.press(club.alice, "Nudge #1", on=await club.open(club.alice, "games"))


async def test_a_slow_opponent_is_reminded_once_a_day(club: Club) -> None:
    await club.match(turns=["e5"])
    assert "Nudge #1" not in (await club.slash(club.alice, "games")).messages[0].labels, "it has only just begun"
    await club.env.advance_time(NUDGE_AFTER.total_seconds())
    assert (await press_nudge(club)).private == "I have reminded Bob of match #1."
    card = club.card()
    assert card.pinged == (club.bob.id,)
    assert "Alice is waiting for your turn in match #1" in card.text
    before = len(club.cards())
    await club.restart()
    assert (await press_nudge(club)).private.startswith("Give Bob some time: you can nudge them <t:")
    assert len(club.cards()) == before
    await club.env.advance_time(NUDGE_AGAIN.span.total_seconds())
    assert (await press_nudge(club)).private.startswith("I have reminded")
    assert club.seen((await club.slash(club.bob, "games")).private_handle).labels == ("Play #1",)


async def test_a_double_press_nudges_once_in_the_language_of_the_server(club: Club) -> None:
    await club.match(turns=["e5"])
    await club.env.advance_time(NUDGE_AFTER.total_seconds())
    club.speak(club.alice, "de")
    club.turn_server_to("es-ES")
    screen = club.screen((await club.slash(club.alice, "games")).private_handle)
    before = len(club.cards())
    answers = await club.press_together(*[(club.alice, "#1 anstupsen", screen)] * 2)
    assert "Ich habe Bob an Partie #1 erinnert." in [answer.private for answer in answers]
    assert len(club.cards()) == before + 1
    assert "Alice espera tu jugada" in club.card().text
