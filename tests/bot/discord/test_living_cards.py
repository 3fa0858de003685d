"""A living card at the end of its channel: edited in place, or posted again below people's messages."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest
from simcord import ChannelHandle, MemberActor

from bot.discord.gateway import lifecycle
from bot.discord.transport.sender import Sender
from bot.discord.ui.messages import Message
from bot.domain.deliveries import CardKey, PostedMessage
from bot.domain.preferences import BoardCards
from bot.storage.repositories.deliveries import DeliveryRepository
from tests.support.discord.actions import restart_and_count
from tests.support.discord.club import FINAL_BUTTONS, Club, Seen
from tests.support.games import WHOLE_GAME
from tests.support.services.failures import patch_storage
from tests.support.services.matches import play_turn
from tests.support.thorough import THOROUGH, sample


@pytest.fixture
def board_cards() -> BoardCards:
    return BoardCards.LIVING


def pings(club: Club, where: ChannelHandle | None = None) -> list[Seen]:
    """The messages that only ping a player."""
    return [line for line in club.lines(where) if "it is your turn: [match #" in line.text]


async def play(club: Club, turn: str, **options: Any) -> MemberActor | None:
    """Play a turn of whoever is to play, and return who is to play next."""
    game = await club.app.matches.game(1)
    assert game.to_act is not None
    await club.move(club.member(game.to_act.id), turn, **options)
    awaited = (await club.app.matches.game(1)).to_act
    return None if awaited is None else club.member(awaited.id)


@pytest.fixture
def notified(club: Club) -> list[tuple[int, ...]]:
    """Collect the people whom each message notifies."""
    found = list[tuple[int, ...]]()

    def note(event: str, payload: Any) -> None:
        if event == "MESSAGE_CREATE" and payload["mentions"]:
            found.append(tuple(int(each["id"]) for each in payload["mentions"]))

    club.env.backend.subscribers.append(note)
    return found


async def test_a_game_without_other_messages_leaves_one_card(club: Club, notified: list[tuple[int, ...]]) -> None:
    begun = 0 if THOROUGH else len(WHOLE_GAME) - 8
    await club.match(turns=WHOLE_GAME[:begun])
    first = club.card()
    for turn in WHOLE_GAME[begun:-1]:
        notified.clear()
        awaited = await play(club, turn)
        assert awaited is not None
        assert notified == [(awaited.id,)], "the next player, once"
        (board,) = club.boards()
        assert board.id == first.id
        assert len(pings(club)) == 1
    assert (await play(club, WHOLE_GAME[-1])) is None
    (board,) = club.boards()
    assert "wins by" in board.text
    assert board.labels == FINAL_BUTTONS
    assert pings(club) == []
    assert len(board.pinged) == 1
    assert club.cards() == [board]
    assert await restart_and_count(club) == 0


async def test_an_edited_card_shows_the_new_board_and_keeps_no_old_picture(club: Club) -> None:
    await club.match()
    before = club.card()
    await play(club, "e5")
    (card,) = club.boards()
    assert card.id == before.id
    assert "Alice opened with `e5`" in card.text
    assert card.pictures != before.pictures
    assert len(card.files) == 1
    (ping,) = pings(club)
    assert ping.pinged == (club.bob.id,)
    assert f"<@{club.bob.id}>, it is your turn" in ping.text
    assert f"https://discord.com/channels/{club.guild.id}/{club.channel.id}/{card.id}" in ping.text
    assert (await club.press(club.bob, "Play Light")).nothing
    assert await club.turns() == ("e5", "light")


async def test_below_other_messages_a_new_card_replaces_the_old_one_by_a_line(club: Club) -> None:
    await club.match()
    await play(club, "e5")
    old = club.boards()[0]
    await club.carol.send(club.channel, "Oh!")
    await play(club, "light")
    (board,) = club.boards()
    assert board.id != old.id
    assert board == club.card()
    assert board.pinged == (club.bob.id,)
    assert pings(club) == []
    (line,) = club.lines()
    assert line.id == old.id
    assert line.texts == ("-# Turn 1 · Alice opened with `e5`",)
    assert (line.labels, line.files) == ((), ())
    await play(club, "d4")
    assert [card.id for card in club.boards()] == [board.id]
    assert await restart_and_count(club) == 0


async def test_a_deleted_card_is_posted_again(club: Club) -> None:
    await club.match()
    await play(club, "e5")
    club.env.backend.delete_message(club.channel.id, club.boards()[0].id)
    await club.env.settle()
    await play(club, "light")
    (board,) = club.boards()
    assert "Bob chose **Light**" in board.text
    assert board.pinged == (club.bob.id,)


async def test_the_players_of_a_match_choose_how_it_is_shown(club: Club) -> None:
    await club.match()
    await play(club, "e5")
    (living,) = club.boards()
    menu = await club.press_all(club.alice, "More…", "Even more…")
    assert (await club.press(club.alice, "New card each turn", on=menu)).nothing
    assert "match #1 has a card for every turn" in club.seen(menu).text
    await play(club, "light")
    before, now = club.boards()
    assert before.id == living.id
    assert (before.labels, len(before.files)) == ((), 1)
    assert now.pinged == (club.bob.id,)
    assert pings(club) == []
    await club.press(club.alice, "One living card", on=menu)
    await play(club, "d4")
    assert [board.id for board in club.boards()] == [before.id, now.id]
    assert len(pings(club)) == 1


async def test_only_players_and_moderators_choose_how_a_match_is_shown(club: Club) -> None:
    await club.match()
    assert "New card each turn" not in (await club.press(club.carol, "More…")).messages[0].labels
    chosen = club.screen(await club.press_all(club.bob, "More…", "Even more…"))
    assert (
        "You are not playing in match #1" in (await club.press_late(club.carol, "New card each turn", chosen)).private
    )
    assert (await club.delivery()).board_cards is None
    await club.press_late(club.join_as_moderator("Dan"), "New card each turn", chosen)
    assert (await club.delivery()).board_cards is BoardCards.EVERY_TURN


# Crashes


class _KilledError(asyncio.CancelledError):
    """The process is dead, so nothing continues."""


def kill_at(patch: pytest.MonkeyPatch, step: int, *, after: bool) -> None:
    """Let the process die before or after a given step."""
    count = 0

    def killing(method: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def call(self: object, *args: Any, **how: Any) -> Any:
            nonlocal count
            number, count = count, count + 1
            if number > step or (number == step and not after):
                raise _KilledError
            result = await method(self, *args, **how)
            if number == step:
                raise _KilledError
            return result

        return call

    for name in ("send", "edit", "delete"):
        patch.setattr(Sender, name, killing(getattr(Sender, name)))
    patch_storage(patch, "DeliveryRepository.set_message", killing(DeliveryRepository.set_message))


@pytest.mark.parametrize(("after", "chatter"), sample([(False, False), (False, True), (True, True), (True, False)], 2))
async def test_whenever_the_bot_is_killed_nothing_is_doubled_or_missing(
    club: Club, monkeypatch: pytest.MonkeyPatch, after: bool, chatter: bool
) -> None:
    """The steps are requests to Discord and the notes of them. The process dies before or ``after`` one."""
    await club.match(turns=WHOLE_GAME[:1])
    await play(club, WHOLE_GAME[1])
    steps = range(5)
    for number, step in enumerate(steps if THOROUGH else steps[after::2]):
        killed, following = WHOLE_GAME[2 * number + 2 : 2 * number + 4]
        if chatter:
            await club.carol.send(club.channel, "Hm.")
        with monkeypatch.context() as patch:
            kill_at(patch, step, after=after)
            await club.play_quietly(1, [killed])
            with contextlib.suppress(_KilledError):
                await club.show(1)
            await club.stop()
        await club.start()
        await club.env.settle()
        (board,) = club.boards()
        assert f"Turn {2 * number + 3} · " in board.text, step
        assert board.labels
        assert len(pings(club)) == (0 if chatter else 1), step
        assert await restart_and_count(club) == 0
        await play(club, following)
        assert len(club.boards()) == 1
        assert len(pings(club)) == 1
        assert (await club.delivery()).message is not None


async def test_a_slow_deletion_of_a_ping_delays_no_board(
    club: Club, notified: list[tuple[int, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    await club.match()
    await play(club, "e5")
    with monkeypatch.context() as patch:
        waiting = club.env.external_wait
        patch.setattr(lifecycle, "_PATIENCE", 0)
        patch.setattr(Sender, "delete", lambda *_, **__: waiting(asyncio.Event().wait(), reason="Discord is slow"))
        notified.clear()
        for turn in ("light", "d4"):
            await play(club, turn)
        assert notified == [(club.bob.id,), (club.alice.id,)]
        (board,) = club.boards()
        assert "played `d4`" in board.text
        assert len(pings(club)) == 3
        await club.stop()
    await club.start()
    await club.env.settle()
    (ping,) = pings(club)
    assert ping.pinged == (club.alice.id,)
    assert await restart_and_count(club) == 0


@pytest.mark.parametrize("meanwhile", sample(["nothing", "a word", "a turn"], 2))
async def test_a_refused_ping_is_sent_once_a_minute_later(
    club: Club, notified: list[tuple[int, ...]], meanwhile: str
) -> None:
    await club.match()
    notified.clear()
    club.refuse("POST", status=503)
    assert (await club.slash(club.alice, "move", turn="e5")).nothing, "everybody sees the board"
    (board,) = club.boards()
    assert "Alice opened with `e5`" in board.text
    assert notified == []
    if meanwhile == "a word":
        await club.carol.send(club.channel, "Nice!")
    elif meanwhile == "a turn":
        await play(club, "dark")
    await club.env.advance_time(61)
    assert notified == [(club.alice.id if meanwhile == "a turn" else club.bob.id,)]
    assert len([board for board in club.boards() if board.labels]) == 1
    await club.env.advance_time(600)
    assert await restart_and_count(club) == 0
    assert len(notified) == 1


async def test_a_slower_process_leaves_the_latest_turn(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    await club.match()
    edit = Sender.edit
    with monkeypatch.context() as patch:

        async def overtaken(self: Sender, card: PostedMessage, post: Message, **how: Any) -> bool:
            """Show Bob's choice in another process while this one is about to show the opening."""
            patch.undo()
            await play_turn(club.app.matches, 1, club.bob.id, "light", to_show=True)
            delivery = await club.delivery()
            assert delivery.message is not None
            async with club.app.storage.transaction() as tx:
                shown = replace(card, version=delivery.version, step=2)
                await tx.deliveries.set_message(CardKey(1), shown, seen=delivery.message.version)
            return await edit(self, card, post, **how)

        patch.setattr(Sender, "edit", overtaken)
        await club.slash(club.alice, "move", turn="e5")
    (board,) = club.boards()
    assert "Bob chose **Light**" in board.text
    assert board.files[0]["filename"] == "dalen-1-2.png"
    assert "Play" in board.labels
    assert pings(club) == [], "that of the slower one goes"
    await play(club, "d4")
    assert [card.id for card in club.boards()] == [board.id]
    assert await restart_and_count(club) == 0
