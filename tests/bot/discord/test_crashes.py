"""The next start shows exactly once what a crash left out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import aiohttp
import discord
import pytest
from simcord import ChannelHandle
from sqlalchemy import event

from bot.discord.transport.sender import Sender
from bot.discord.transport.servers import Servers
from bot.domain.competitions.strangers import Pace
from bot.domain.deliveries import CardKey, ReplacedMessage
from bot.domain.matches import Match
from bot.domain.places import Place
from bot.domain.players import Player
from bot.domain.preferences import BoardCards
from bot.services.matches import Matches, MatchView
from bot.services.ratings import Ratings
from bot.services.strangers.pairing import CONVERSATION
from bot.storage.repositories.deliveries import DeliveryRepository
from tests.support.discord.actions import restart_and_count
from tests.support.discord.club import Club
from tests.support.services.failures import patch_storage
from tests.support.services.matches import play_turn
from tests.support.thorough import sample
from tests.support.waiting import until

DAY = 24 * 60 * 60
MESSAGES = "/channels/*/messages"


async def test_a_turn_that_was_stored_and_not_posted_is_posted_on_the_next_start(club: Club) -> None:
    await club.match()
    before = club.card()
    await play_turn(club.app.matches, 1, club.alice.id, "e5", to_show=True)
    assert await restart_and_count(club) == 1
    card = club.card()
    assert "Alice opened with `e5`" in card.text
    assert card.pinged == (club.bob.id,)
    assert card.labels == ("Play Dark", "Play Light", "More…", "Learn in 3 minutes")
    assert next(each for each in club.cards() if each.id == before.id).labels == ()
    await club.press(club.bob, "Play Light")
    assert await club.turns() == ("e5", "light")
    await club.play_quietly(1, ("d4", "a1", "i9"))
    assert await restart_and_count(club) == 1, "several turns become one board"
    assert "Bob (Light) played `i9`" in club.card().text


async def test_a_refused_board_is_shown_a_minute_later(club: Club) -> None:
    await club.match()
    club.refuse("POST", status=503)
    answer = await club.slash(club.alice, "move", turn="e5")
    assert answer.private.startswith(
        "That is done and stored, but I could not show it: Discord did not accept the message."
    )
    boards = len(club.boards())
    await club.env.advance_time(61)
    assert len(club.boards()) == boards + 1
    assert "Alice opened with `e5`" in club.card().text
    await club.env.advance_time(600)
    assert len(club.boards()) == boards + 1
    club.refuse("POST", status=503, times=4)
    await club.slash(club.bob, "move", turn="light")
    await club.env.advance_time(5 * 60)
    assert "Bob chose **Light**" in club.card().text
    assert await restart_and_count(club) == 0


@pytest.mark.parametrize("board_cards", sample([*BoardCards], 2))
async def test_an_unnoted_board_is_found_again_however_old_it_is(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    """Discord knows nonces for some minutes only, and the simulation does not know them at all."""
    await club.challenge(club.alice, club.bob, size=5, first="challenger")
    for lost in ("first", "turn", "end"):
        with monkeypatch.context() as patch:
            patch_storage(patch, "DeliveryRepository.set_message", crash)
            club.expect_failure("interaction_failed")
            if lost == "end":
                await club.open(club.alice, "resign", "Yes, resign")
            else:
                await club.press(club.bob, "Accept" if lost == "first" else "Play Light")
        await club.stop()
        await club.env.advance_time(DAY)
        await club.carol.send(club.channel, "Where is the bot?")
        boards, since = club.boards(), len(club.env.http_requests)
        await club.start()
        await club.env.settle()
        *past, board = club.boards()
        assert board.id == boards[-1].id
        assert board.labels
        assert not any(card.labels for card in past)
        assert len(club.requests("GET", r"/channels/\d+/messages", since)) == 1
        assert club.posts(since) == []
        assert await restart_and_count(club) == 0
        if lost != "end":
            await club.move(club.alice if lost == "first" else club.bob, "e5" if lost == "first" else "d4")
            assert sum(bool(card.labels) for card in club.boards()) == 1
            await club.carol.send(club.channel, "Oh!")


async def test_an_unnoted_board_is_sent_again_with_the_same_nonce(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    """This happens where the bot may not read what it has posted."""
    await club.match()
    club.forbid("read_message_history")

    since = len(club.env.http_requests)
    with monkeypatch.context() as patch:
        patch_storage(patch, "DeliveryRepository.set_message", crash)
        club.expect_failure("interaction_failed")
        answer = await club.slash(club.alice, "move", turn="e5")
    assert "Something went wrong on my side" in answer.private
    assert await restart_and_count(club) == 1
    first, second = club.payloads(since)
    # Discord answers a known nonce with the message that was sent with it.
    assert first["nonce"] == second["nonce"]
    assert first["enforce_nonce"] is second["enforce_nonce"] is True


async def test_a_follow_up_that_lost_its_reply_is_found_again(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    await club.match()
    since, send = len(club.env.http_requests), discord.Webhook.send

    async def lose_the_reply(*arguments: Any, **named: Any) -> None:
        await send(*arguments, **named)
        raise aiohttp.ServerDisconnectedError

    with monkeypatch.context() as patch:
        patch.setattr(discord.Webhook, "send", lose_the_reply)
        await club.slash(club.alice, "board")
    assert len(club.posts(since)) == 1
    await club.app.backlog.catch_up()
    assert len(club.posts(since)) == 1
    assert club.boards()[-1].labels, "the board in use is the new one"


async def test_every_card_has_a_nonce_of_its_own(club: Club) -> None:
    club.forbid("read_message_history")  # so that no card is a follow-up
    await club.accepted_challenge(club.alice, club.bob, first="challenger")
    await club.move(club.alice, "e5")
    await club.slash(club.alice, "board")
    await club.slash(club.alice, "board")
    await club.challenge(club.alice, club.carol)
    nonces = [post["nonce"] for post in club.payloads()]
    assert len(set(nonces)) == len(nonces) == 6
    assert all(len(nonce) <= 25 for nonce in nonces)


async def test_an_unposted_challenge_is_posted_at_the_start_if_it_is_open(club: Club) -> None:
    club.env.inject_error("POST", MESSAGES)
    await club.slash(club.alice, "challenge", game="dalen", opponent=club.bob)
    await club.app.challenges.withdraw(1, club.alice.id, shown_by_caller=True)
    assert await restart_and_count(club) == 0
    club.env.inject_error("POST", MESSAGES)
    assert "done and stored" in (await club.slash(club.alice, "challenge", game="dalen", opponent=club.bob)).private
    assert club.cards() == []
    assert await restart_and_count(club) == 1
    assert club.card().labels == ("Accept", "Decline", "Withdraw", "Play the computer", "Learn in 3 minutes")
    assert club.card().pinged == (club.bob.id,)
    assert (await club.press(club.bob, "Accept")).nothing


async def test_a_match_accepted_beside_another_gets_its_thread_on_the_next_start(club: Club) -> None:
    await club.match()
    await club.challenge(club.alice, club.carol, first="challenger")
    await club.app.challenges.accept(2, Player(club.carol.id, "Carol"), shown_by_caller=True)
    assert await restart_and_count(club) == 1
    (thread,) = club.threads()
    assert "open with **Play** or /move" in club.card(thread).text
    assert any(f"Match #2 is played in <#{thread.id}>" in card.text for card in club.cards())


async def test_an_unnoted_thread_is_used_on_the_next_start(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    await club.match()
    await club.challenge(club.alice, club.carol, first="challenger")
    assign = DeliveryRepository.assign_channel

    async def crash_after_the_thread(self: DeliveryRepository, key: CardKey, channel_id: int, *, shared: bool) -> bool:
        if channel_id != club.channel.id:
            raise OSError("the power is out")
        return await assign(self, key, channel_id, shared=shared)

    with monkeypatch.context() as patch:
        patch_storage(patch, "DeliveryRepository.assign_channel", crash_after_the_thread)
        club.expect_failure("interaction_failed")
        await club.press(club.carol, "Accept")
    assert len(club.threads()) == 1
    # Discord refuses a second thread on the same message. The simulation does not, so the test does.
    club.env.inject_error("POST", "/channels/*/messages/*/threads", status=400, code=160004)
    assert await restart_and_count(club) == 1
    (thread,) = club.threads()
    assert "open with **Play** or /move" in club.card(thread).text


async def test_the_end_of_challenges_stored_but_not_shown_is_shown_at_the_start(club: Club) -> None:
    for one, other in ((club.alice, club.bob), (club.alice, club.carol), (club.bob, club.carol)):
        await club.challenge(one, other)
    await club.app.challenges.decline(1, club.bob.id, shown_by_caller=True)
    await club.app.challenges.withdraw(2, club.alice.id, shown_by_caller=True)
    await club.stop()
    await club.env.advance_time(DAY + 1)
    assert await club.app.challenges.expire(3)
    await club.app.database.close()
    before = len(club.env.http_requests)
    assert await restart_and_count(club) == 0
    assert len(club.requests("PATCH", r"/channels/\d+/messages/\d+", before)) == 3
    for card, end in zip(club.cards(), ("declined", "withdrew", "expired"), strict=True):
        assert card.labels == ()
        assert end in card.text


async def test_after_a_start_the_newest_turn_is_shown_first(club: Club) -> None:
    channels = [club.guild.create_text_channel(f"channel {number}") for number in range(4)]
    for channel in channels:
        await club.accepted_challenge(club.alice, club.bob, channel, size=5, first="challenger")
    await club.challenge(club.alice, club.carol, where=channels[0])
    order = (3, 1, 4, 2)
    for match_id in order:
        await club.play_quietly(match_id, ("e5",))
        await club.env.advance_time(1)
    before = len(club.env.http_requests)
    assert await restart_and_count(club) == len(order)
    shown = [int(str(post.json and post.json["nonce"]).removeprefix("m").split(".")[0]) for post in club.posts(before)]
    assert sorted(shown) == sorted(order)
    assert shown[0] == order[-1]


async def test_a_match_that_cannot_be_shown_blocks_no_other(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    await club.match()
    other = club.guild.create_text_channel("other")
    await club.accepted_challenge(club.alice, club.carol, other, size=5, first="challenger")
    await club.play_quietly(1, ("e5",))
    await club.play_quietly(2, ("d4",))
    with monkeypatch.context() as patch:
        view = Matches.view

        async def fail(self: Matches, key: CardKey) -> MatchView:
            if key.match_id == 2:
                raise RuntimeError
            return await view(self, key)

        patch.setattr(Matches, "view", fail)
        assert await restart_and_count(club) == 1
        club.expected_failures += [event["event"] for event in club.log if event["event"] == "catching_up_failed"]
    assert "Alice opened with `e5`" in club.card().text
    await club.env.advance_time(61)
    assert "Alice opened with `d4`" in club.card(other).text


async def test_a_stopping_bot_begins_nothing_new(club: Club) -> None:
    await club.match()
    club.forbid("view_channel")
    await club.play_quietly(1, ("e5",))
    await club.app.lifecycle.wind_up()
    club.allow_all()
    posts = len(club.env.http_requests)
    await club.env.settle()
    assert club.posts(posts) == []
    assert await restart_and_count(club) == 1
    assert "Alice opened with `e5`" in club.card().text


async def test_a_start_shows_boards_before_the_servers_arrive(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    club.turn_server_to("es-ES")
    await club.match()
    await club.play_quietly(1, ("e5",))
    monkeypatch.setattr(Servers, "set_ready", lambda *_: False)
    monkeypatch.setattr(Servers, "get", lambda *_: None)
    assert await restart_and_count(club) == 1
    assert "elige tu bando" in club.card().text


async def test_a_start_asks_once_for_a_server_without_the_bot(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    await club.match()
    await club.match(club.alice, club.carol)
    await club.play_quietly(1, ("e5",))
    await club.play_quietly(2, ("e5",))
    monkeypatch.setattr(Servers, "set_ready", lambda *_: False)
    monkeypatch.setattr(Servers, "get", lambda *_: None)
    club.env.inject_error("GET", "/guilds/*", status=404, code=10004, times=None)
    before = len(club.env.http_requests)
    await club.restart()
    assert club.posts(before) == []
    assert len(club.requests("GET", r"/guilds/\d+", before)) == 1


async def test_a_start_shows_boards_before_it_checks_the_ratings(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    await club.match()
    await club.play_quietly(1, ("e5",))

    async def catch_up(_: Ratings) -> None:
        await until(lambda: "Alice opened with `e5`" in club.card().text)

    monkeypatch.setattr(Ratings, "catch_up", catch_up)
    await club.restart()


async def test_simultaneous_attempts_post_a_board_once(club: Club) -> None:
    await club.match()
    await play_turn(club.app.matches, 1, club.alice.id, "e5", to_show=True)
    before = len(club.env.http_requests)
    app = club.app
    show: list[Callable[[], object]] = [app.backlog.catch_up, lambda: app.match_presenter.show_match(1)]
    await club.at_once(*[each for each in show for _ in range(3)])
    assert len(club.posts(before)) == 1


async def test_a_stop_waits_until_stored_turns_are_shown(club: Club) -> None:
    await club.match(turns=["e5"])
    boards = len(club.boards())
    storing = asyncio.Event()

    def notice(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        if statement.startswith("INSERT INTO turns"):
            storing.set()

    event.listen(club.app.database.engine.sync_engine, "after_cursor_execute", notice)
    pressed = asyncio.create_task(club.press_late(club.bob, "Play Light", club.screen()))
    async with asyncio.timeout(20):
        await storing.wait()
    assert len(club.boards()) == boards
    await club.stop()
    assert len(club.boards()) == boards + 1
    assert (await pressed).nothing
    assert await restart_and_count(club) == 0


# Two homes


async def meet(club: Club) -> tuple[Match, tuple[ChannelHandle, ChannelHandle]]:
    """Start a match of Alice in the channel and Carol in her conversation, and return their homes by seat."""
    for who, home in ((club.alice, Place(club.guild.id, club.channel.id)), (club.carol, CONVERSATION)):
        await club.app.standing_requests.ask(club.player(who), ["dalen"], 1, Pace.WEEK, home, near=False)
        await club.env.advance_time(2)
    match, homes = await club.newest_match(), (club.channel, club.carol.user.dm_channel)
    return match, homes if match.first.id == club.alice.id else homes[::-1]


def check_homes(club: Club, match: Match, homes: tuple[ChannelHandle, ChannelHandle], since: int) -> None:
    """Check that the last card in each home has buttons and the opening, which has pinged the other player once."""
    for home in homes:
        boards = club.boards(home)
        assert [bool(board.labels) for board in boards] == [False] * (len(boards) - 1) + [True]
        assert "opened with `e5`" in boards[-1].text
    pinged = [user_id for post in club.payloads(since) for user_id in post["allowed_mentions"]["users"]]
    assert pinged == [match.second.id]


async def test_a_turn_stored_and_not_shown_is_shown_in_both_homes_on_the_next_start(club: Club) -> None:
    match, homes = await meet(club)
    since = len(club.env.http_requests)
    await club.stop()
    await play_turn(club.app.matches, match.id, match.first.id, "e5", to_show=True)
    await club.app.database.close()
    assert await restart_and_count(club) in (1, 2), "a living card is edited if it pings nobody"
    check_homes(club, match, homes, since)


@pytest.mark.parametrize("posted", [False, True])
@pytest.mark.parametrize("seat", [0, 1])
async def test_a_turn_shown_in_one_home_is_shown_in_the_other_on_the_next_start(
    club: Club, monkeypatch: pytest.MonkeyPatch, seat: int, posted: bool
) -> None:
    """The card in the other home may even have been posted, but not noted."""
    match, homes = await meet(club)
    since, view, note = len(club.env.http_requests), Matches.view, DeliveryRepository.set_message

    async def view_elsewhere(self: Matches, key: CardKey) -> MatchView:
        if key.seat == seat and not posted:
            await crash()
        return await view(self, key)

    async def note_elsewhere(self: DeliveryRepository, key: CardKey, *arguments: Any, **named: Any) -> bool:
        if key.seat == seat and posted:
            await crash()
        return await note(self, key, *arguments, **named)

    with monkeypatch.context() as patch:
        patch.setattr(Matches, "view", view_elsewhere)
        patch_storage(patch, "DeliveryRepository.set_message", note_elsewhere)
        club.expect_failure("timer_failed")
        await play_turn(club.app.matches, match.id, match.first.id, "e5")
        await club.env.advance_time(2)
        await club.stop()
    shown = ["opened with" in club.boards(home)[-1].text for home in homes]
    assert (shown[1 - seat], shown[seat]) == (True, posted)
    await club.start()
    await club.env.settle()
    check_homes(club, match, homes, since)
    assert await restart_and_count(club) == 0


# Replaced boards


async def replaced(club: Club) -> list[ReplacedMessage]:
    async with club.app.storage.read() as tx:
        return await tx.deliveries.replaced_messages()


async def crash(*_: object, **__: object) -> None:
    raise OSError("the power is out")


async def test_old_boards_lose_their_buttons_on_the_next_start(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    await club.match()
    with monkeypatch.context() as patch:
        patch.setattr(Sender, "edit", crash)
        for who, turn in ((club.alice, "e5"), (club.bob, "light"), (club.bob, "d4")):
            club.expect_failure("past_cards_not_retired")
            await club.slash(who, "move", turn=turn)
    assert [bool(board.labels) for board in club.boards()] == [True] * 4
    assert await restart_and_count(club) == 0
    assert [bool(board.labels) for board in club.boards()] == [False] * 3 + [True]
    assert await replaced(club) == []


async def test_a_replaced_board_that_is_gone_is_forgotten(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    await club.match()
    for who, turn, gone in ((club.alice, "e5", "message"), (club.bob, "light", "channel")):
        old = club.card()
        with monkeypatch.context() as patch:
            patch.setattr(Sender, "edit", crash)
            club.expect_failure("past_cards_not_retired")
            await club.slash(who, "move", turn=turn)
        assert [each.message.message_id for each in await replaced(club)] == [old.id]
        if gone == "message":
            club.env.backend.delete_message(club.channel.id, old.id)
        else:
            club.env.backend.delete_channel(club.channel.id)
        await club.env.settle()
        await club.restart()
        assert await replaced(club) == []


async def test_at_most_the_last_replaced_board_is_edited_again_after_a_crash(club: Club) -> None:
    """The lost buttons are noted with the next card, at no extra cost."""
    await club.match()
    for who, turn in ((club.alice, "e5"), (club.bob, "light"), (club.bob, "d4"), (club.alice, "a1")):
        await club.move(who, turn)
    boards = club.boards()
    left = await replaced(club)
    assert [each.message.message_id for each in left] == [boards[-2].id]
    assert [bool(board.labels) for board in boards] == [False] * 4 + [True]
    await club.restart()
    assert await replaced(club) == []
