"""Clocks on cards, in notices and buttons, and across restarts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest
from simcord import MemberActor

from bot.discord.ui.actions import OpenClock
from tests.support.discord.club import Answer, Club, Seen
from tests.support.services.counts import counting
from tests.support.services.failures import patch_storage

MINUTE, HOUR, DAY = 60, 60 * 60, 24 * 60 * 60


def notices(club: Club) -> list[Seen]:
    return [card for card in club.cards() if card.text.startswith("⏰")]


async def press_notice(club: Club, who: MemberActor, label: str) -> Answer:
    """Press a button of the last notice."""
    return await club.press(who, label, [each for each in club.messages() if club.seen(each).text.startswith("⏰")][-1])


def time_left(club: Club, card: Seen | None = None) -> float:
    """The seconds to which a card counts down, by default the last one."""
    _, found, rest = (card or club.card()).text.partition("'s time runs out <t:")
    assert found
    return int(rest.partition(":R>")[0]) - club.env.now().timestamp()


async def test_the_challenge_and_the_board_say_how_much_time_there_is(club: Club) -> None:
    await club.challenge(club.alice, club.bob, clock="3 days + 1 day", first="challenger")
    assert "⏳ 3 days + 1 day a turn" in club.card().text
    await club.press(club.bob, "Accept")
    card = club.card()
    card.says("⏳ Alice's time runs out <t:", "Bob has 3 days", "3 days + 1 day a turn")
    assert "Time" in (await club.press(club.alice, "More…")).messages[0].labels
    assert abs(time_left(club) - 3 * DAY) < MINUTE
    await club.env.advance_time(HOUR)
    await club.move(club.alice, "e5")
    club.card().says("⏳ Bob's time runs out <t:", "Alice has 3 days 2")
    await club.app.matches.resign(1, club.bob.id, shown_by_caller=True)
    await club.match()
    assert "⏳" not in club.card().text, "this match has no clock"
    assert "Time" not in (await club.press(club.alice, "More…")).messages[0].labels


async def test_clocks_are_suggested(club: Club) -> None:
    async def offered(typed: str) -> dict[str, str]:
        choices = await club.offers(club.alice, typed, command="challenge", option="clock", game="dalen")
        return {choice["name"]: choice["value"] for choice in choices}

    assert "3 days + 1 day a turn" in await offered("")
    assert "3 days + 1 day a turn" in await offered("3+1")
    # Without units, slow and quick games are offered.
    assert next(iter(await offered("10+30"))) == "10 minutes + 30 seconds a turn"
    assert list(await offered("2d+12h")) == ["2 days + 12 hours a turn"]
    assert next(iter(await offered("banana"))).startswith("✗ “banana” is not a clock.")


async def test_a_player_is_reminded_once_and_only_while_it_is_their_turn(club: Club) -> None:
    await club.app.settings.change_preferences((await club.match(clock="2 h a turn")).second, pings=False)
    await club.env.advance_time(80 * MINUTE)
    await club.restart()
    await club.env.advance_time(9 * MINUTE)
    assert not notices(club)
    await club.env.advance_time(2 * MINUTE)
    (notice,) = notices(club)
    assert f"<@{club.alice.id}>, your time in match #1 against Bob runs out <t:" in notice.text
    assert notice.pinged == (club.alice.id,)
    await club.restart()
    await club.env.advance_time(20 * MINUTE)
    assert len(notices(club)) == 1
    await club.move(club.alice, "e5")
    await club.env.advance_time(100 * MINUTE)
    assert len(notices(club)) == 1, "Bob wants no pings"


async def test_a_day_off_is_spent_automatically_and_the_card_shows_the_new_time(club: Club) -> None:
    await club.match(clock="1 day a turn")
    await club.env.advance_time(DAY + MINUTE)
    (board,) = club.boards()
    assert abs(time_left(club, board) - DAY) < 2 * MINUTE
    assert board.pictures, "the picture stays"
    answer = await club.forge(club.bob, OpenClock(1), on=next(m for m in club.messages() if m.id == board.id))
    assert "13 days off left" in answer.private
    assert "14 days off left" in answer.private
    assert len(notices(club)) == 1, "a reminder, and no claim"


async def test_the_opponent_is_notified_once_and_claims_the_win_if_no_turn_comes(club: Club) -> None:
    await club.match(clock="10 min + 30 s")
    await club.env.advance_time(11 * MINUTE)
    await club.move(club.alice, "e5")
    assert "moved on" in (await press_notice(club, club.bob, "Claim the win")).private
    assert not notices(club)
    assert (await club.app.matches.match(1)).result is None
    await club.env.advance_time(11 * MINUTE)
    (notice,) = notices(club)
    assert "Bob's time in match #1 is up" in notice.text
    assert notice.pinged == (club.alice.id,)
    assert notice.labels == ("Claim the win", "Give 5 minutes more")
    await club.env.advance_time(HOUR)
    assert len(notices(club)) == 1
    for who, said in (
        (club.bob, "Only your opponent can give you more, or claim"),
        (club.carol, "You are not playing"),
    ):
        assert said in (await press_notice(club, who, "Claim the win")).private
    await press_notice(club, club.alice, "Claim the win")
    assert not notices(club)
    assert "**Alice** wins: Bob ran out of time." in club.card().text
    assert club.card().pinged == (club.bob.id,)


async def test_each_press_gives_more_time_whose_end_causes_another_notice(club: Club) -> None:
    await club.match(clock="10 min + 30 s")
    assert "Alice, your first Dalen?" in club.card().text
    await club.env.advance_time(11 * MINUTE)
    with counting(club.app.database) as counts:
        await press_notice(club, club.bob, "Give 5 minutes more")
    assert counts.names_on_the_loop == []
    assert not notices(club)
    assert "Alice, your first Dalen?" in club.card().text, "the edited card still explains the game"
    assert "Learn in 3 minutes" in club.card().labels
    assert abs(time_left(club) - 5 * MINUTE) < MINUTE
    panel = await club.forge(club.bob, OpenClock(1))
    assert "**Alice** · 5 minutes" in panel.private.replace("4 minutes 59 seconds", "5 minutes")
    assert club.seen(panel.private_handle).labels == ("Give 5 minutes more",)
    # Discord drops a message with a nonce that it knows.
    sent = [request.json["nonce"] for request in club.posts() if request.json and "nonce" in request.json]
    assert len(set(sent)) == len(sent)


async def test_a_strict_clock_ends_the_match_by_itself_and_on_time_although_its_board_came_late(club: Club) -> None:
    await club.env.advance_time(3 * DAY)
    await club.challenge(club.alice, club.bob, clock="2 min strict", first="challenger")
    club.refuse("POST", status=503)
    await club.press(club.bob, "Accept")
    await club.env.advance_time(2 * MINUTE + 5)
    club.card().says("**Bob** wins: Alice ran out of time.", "2 minutes for the whole match, strict")
    assert "is over" in (await club.slash(club.alice, "move", turn="e5", match="1")).private


async def stopped(club: Club) -> None:
    await club.stop()
    await club.env.advance_time(3 * DAY)
    await club.start()
    await club.env.settle()


async def disconnected(club: Club) -> None:
    await club.app.client.on_shard_disconnect(0)
    await club.env.advance_time(HOUR)
    assert (await club.app.matches.match(1)).result is None
    club.env.backend.emit("RESUMED", {"__shard_id__": 0})
    await club.env.settle()


async def suspended(club: Club) -> None:
    """A computer that sleeps keeps its connection, as far as the process can tell when it wakes up."""
    await club.env.advance_time(10 * MINUTE)


@pytest.mark.parametrize("absent", [stopped, disconnected, suspended])
async def test_no_flag_falls_while_the_bot_is_away(club: Club, absent: Callable[[Club], Awaitable[None]]) -> None:
    """Afterwards the player has ten minutes more to come back."""
    await club.match(clock="10 min + 30 s strict")
    await club.app.connections.beat()
    await absent(club)
    assert (await club.app.matches.match(1)).result is None
    await club.env.advance_time(10)
    assert abs(time_left(club) - 20 * MINUTE) < MINUTE


async def test_an_absence_is_made_up_for_after_a_failure(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    await club.match(clock="10 min strict")
    await club.app.connections.beat()
    await club.app.client.on_shard_disconnect(0)
    await club.env.advance_time(9 * MINUTE)

    async def fail(*_: object, **__: object) -> int:
        raise OSError("the disk is away")

    with monkeypatch.context() as broken:
        patch_storage(broken, "ClockRepository.shift", fail)
        with pytest.raises(OSError, match="disk is away"):
            await club.app.client.on_shard_resumed(0)
    await club.env.advance_time(2 * MINUTE)
    assert (await club.app.matches.match(1)).result is None
    await club.app.connections.beat()
    assert time_left(club) > 15 * MINUTE
