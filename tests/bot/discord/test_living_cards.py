"""A board's card that lives at the end of its channel: edited in place, posted anew below what people write."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest
from simcord import ChannelHandle, MemberActor

from bot.discord.gateway import lifecycle
from bot.discord.transport.sender import Sender
from bot.discord.ui.messages import Message
from bot.domain.deliveries import PostedMessage
from bot.domain.matches import ProposalKind
from bot.domain.preferences import BoardCards
from bot.services.deliveries import Deliveries
from bot.storage.repositories.deliveries import DeliveryRepository
from tests.support.actions import ask, restart_and_count
from tests.support.club import FINAL_BUTTONS, Club, Seen
from tests.support.failures import patch_storage
from tests.support.games import WHOLE_GAME
from tests.support.services import play_turn
from tests.support.thorough import THOROUGH, sample
from tests.support.turn_presses import shown


@pytest.fixture
def board_cards() -> BoardCards:
    return BoardCards.LIVING


def pings(club: Club, where: ChannelHandle | None = None) -> list[Seen]:
    """The messages that only call somebody to a board."""
    return [line for line in club.lines(where) if "it is your turn: [to the board]" in line.text]


async def play(club: Club, turn: str, **options: Any) -> MemberActor | None:
    """Whoever's turn it is plays; who is to play then."""
    game = await club.app.matches.game(1)
    assert game.to_act is not None
    await club.move(club.member(game.to_act.id), turn, **options)
    awaited = (await club.app.matches.game(1)).to_act
    return None if awaited is None else club.member(awaited.id)


@pytest.fixture
def notified(club: Club) -> list[tuple[int, ...]]:
    """Whom each message that pings somebody has notified."""
    found = list[tuple[int, ...]]()

    def note(event: str, payload: Any) -> None:
        if event == "MESSAGE_CREATE" and payload["mentions"]:
            found.append(tuple(int(each["id"]) for each in payload["mentions"]))

    club.env.backend.subscribers.append(note)
    return found


async def test_a_whole_game_by_two_who_write_nothing_leaves_one_card(
    club: Club, notified: list[tuple[int, ...]]
) -> None:
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


async def test_a_card_that_somebody_deleted_is_posted_anew(club: Club) -> None:
    await club.match()
    await play(club, "e5")
    club.env.backend.delete_message(club.channel.id, club.boards()[0].id)
    await club.env.settle()
    await play(club, "light")
    (board,) = club.boards()
    assert "Bob chose **Light**" in board.text
    assert board.pinged == (club.bob.id,)
    assert pings(club) == []


async def test_a_board_that_somebody_asks_for_is_a_new_card_and_leaves_no_other(club: Club) -> None:
    await club.match()
    await play(club, "e5")
    (before,) = club.boards()
    await club.slash(club.alice, "board")
    (board,) = club.boards()
    assert board.id > before.id
    assert board.pinged == ()
    await play(club, "light")
    assert [card.id for card in club.boards()] == [board.id]


async def test_the_players_of_a_match_choose_how_it_is_shown(club: Club) -> None:
    await club.match()
    await play(club, "e5")
    (living,) = club.boards()
    menu = await club.press(club.alice, "More…")
    answer = await club.press(club.alice, "A card every turn", on=menu.private_handle)
    assert answer.nothing
    assert "match #1 has a card for every turn" in shown(club, menu.private_handle).text
    await play(club, "light")
    before, now = club.boards()
    assert before.id == living.id
    assert (before.labels, len(before.files)) == ((), 1)
    assert now.pinged == (club.bob.id,)
    assert pings(club) == []
    await club.press(club.alice, "One living card", on=menu.private_handle)
    await play(club, "d4")
    assert [board.id for board in club.boards()] == [before.id, now.id]
    assert len(pings(club)) == 1


async def test_only_players_and_moderators_choose_how_a_match_is_shown(club: Club) -> None:
    await club.match()
    assert "A card every turn" not in (await club.press(club.carol, "More…")).messages[0].labels
    menu = (await club.press(club.bob, "More…")).private_handle
    chosen = club.screen(menu)
    assert "You are not playing in match #1" in (await club.press_late(club.carol, "A card every turn", chosen)).private
    assert (await club.delivery()).board_cards is None
    moderator = club.join_as_moderator("Dan")
    await club.press_late(moderator, "A card every turn", chosen)
    assert (await club.delivery()).board_cards is BoardCards.EVERY_TURN


async def test_a_turn_that_is_taken_back_is_taken_back_on_the_card(club: Club) -> None:
    await club.match()
    await play(club, "e5")
    await play(club, "light")
    await play(club, "d4")
    await ask(club, club.bob, ProposalKind.TAKE_BACK)
    await club.press(club.alice, "Accept")
    (board,) = club.boards()
    assert "took back the last turn" in board.text
    assert board.pinged == (club.bob.id,)
    assert [line.texts for line in club.lines()] == [
        ("-# Turn 3 · Bob (Light) played `d4` · ↩️ This turn was taken back.",)
    ]


# Crashes


class _KilledError(asyncio.CancelledError):
    """The process is gone, so nothing goes on."""


def kill_at(patch: pytest.MonkeyPatch, step: int, *, after: bool) -> None:
    """From one of its steps on the process does nothing any more."""
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
    """The steps are requests to Discord and what is stored of them; the kill comes before or ``after`` one."""
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
        boards = club.boards()
        (board,) = boards
        assert f"Turn {2 * number + 3} · " in board.text, step
        assert board.labels
        assert len(pings(club)) == (0 if chatter else 1), step
        assert await restart_and_count(club) == 0
        await play(club, following)
        assert len(club.boards()) == 1
        assert len(pings(club)) == 1
        assert (await club.delivery()).message is not None


async def test_a_ping_that_is_still_to_be_deleted_holds_up_no_board(
    club: Club, notified: list[tuple[int, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    await club.match()
    await play(club, "e5")
    with monkeypatch.context() as patch:
        waiting = club.env.external_wait
        patch.setattr(lifecycle, "_LAST_WORDS", 0)
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


async def test_a_discord_that_is_down_is_caught_up_with(club: Club) -> None:
    await club.match()
    club.refuse("PATCH", status=503)
    await club.slash(club.alice, "move", turn="e5")
    await club.env.advance_time(61)
    (board,) = club.boards()
    assert "Alice opened with `e5`" in board.text
    assert len(pings(club)) == 1
    club.refuse("DELETE", status=503)
    await play(club, "light")
    assert len(pings(club)) == 2
    await club.env.advance_time(61)
    assert len(pings(club)) == 1
    assert await restart_and_count(club) == 0


@pytest.mark.parametrize("meanwhile", sample(["nothing", "a word", "a turn"], 2))
async def test_a_ping_that_discord_did_not_take_is_sent_once_a_minute_later(
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


@pytest.mark.parametrize(
    ("noted", "pinged", "said"),
    sample(
        [
            (True, True, ""),
            (True, False, ""),
            (False, True, "Hm."),
            (True, True, "Hm."),
            (False, True, ""),
            (False, False, ""),
        ],
        2,
    ),
)
async def test_two_processes_that_show_a_match_at_the_same_time_leave_the_newer_board(
    club: Club, noted: bool, pinged: bool, said: str
) -> None:
    """The slower one shows an older turn once the newer turn is shown, perhaps before that is ``noted``."""
    await club.match(turns=WHOLE_GAME[:1])
    for who in (club.alice, club.bob):
        await club.app.settings.change_preferences(club.player(who), pings=pinged)
    await club.play_quietly(1, WHOLE_GAME[1:2])
    slower, older = club.app.match_presenter, await club.app.matches.view(1)
    await club.play_quietly(1, WHOLE_GAME[2:3])

    async def show_older() -> None:
        if said:
            await club.carol.send(club.channel, said)
        await slower.show_match(1, view=older)

    deliveries = _Overtaken(club.app.storage, slower.clock, None if noted else show_older)
    faster = replace(slower, deliveries=deliveries)
    await faster.show_match(1)
    if noted:
        await show_older()
    await asyncio.gather(*slower.tasks, *faster.tasks)
    await club.env.settle()
    (board,) = club.boards()
    assert f"Bob (Light) played `{WHOLE_GAME[2]}`" in board.text
    assert board.files[0]["filename"] == "dalen-1-3.png"
    assert board.labels
    assert len(pings(club)) <= pinged
    assert all(f"/{board.id})" in ping.text for ping in pings(club))
    assert await restart_and_count(club) == 0


@dataclass
class _Overtaken(Deliveries):
    """Deliveries of a process that another one overtakes just before it notes that it has shown a match."""

    overtake: Callable[[], Awaitable[None]] | None

    async def set_board(self, *arguments: Any, **named: Any) -> bool:
        overtake, self.overtake = self.overtake, None
        if overtake is not None:
            await overtake()
        return await super().set_board(*arguments, **named)


async def test_a_card_edited_by_a_slower_process_shows_the_latest_turn_again(
    club: Club, monkeypatch: pytest.MonkeyPatch
) -> None:
    await club.match()
    edit = Sender.edit
    with monkeypatch.context() as patch:

        async def overtaken(self: Sender, card: PostedMessage, post: Message, **how: Any) -> bool:
            """Another process shows Bob's choice on the card while this one is about to show the opening."""
            patch.undo()
            await play_turn(club.app.matches, 1, club.bob.id, "light", to_show=True)
            delivery = await club.delivery()
            assert delivery.message is not None
            async with club.app.storage.transaction() as tx:
                shown = replace(card, version=delivery.version, step=2)
                await tx.deliveries.set_message(1, shown, seen=delivery.message.version)
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
