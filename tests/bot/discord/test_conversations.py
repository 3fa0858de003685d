"""Conversations outside servers: with the bot alone, and among friends who have installed it."""

from __future__ import annotations

import pytest
from simcord import ChannelHandle

from tests.support.discord.club import Club, Seen
from tests.support.services.matches import play_turn


@pytest.fixture
def chat(club: Club) -> ChannelHandle:
    return club.conversation(club.alice, club.bob)


def last(club: Club, chat: ChannelHandle) -> Seen:
    """The last message that both people see."""
    return club.seen(chat.history()[-1])


async def press(club: Club, who: object, label: str, chat: ChannelHandle) -> list[Seen]:
    """Press a button on the last message that has it, and return the follow-ups."""
    message = next(each for each in reversed(chat.history()) if label in club.seen(each).labels)
    result = await who.user.click(message, label=label)  # type: ignore[attr-defined]
    assert result.acknowledged
    return [club.seen(each) for each in result.followups]


async def begin(club: Club, chat: ChannelHandle) -> None:
    await club.whisper(club.alice, "challenge", game="dalen", size=5, first="challenger")
    await press(club, club.bob, "Accept", chat)


# With the bot alone


async def test_nobody_can_be_challenged_in_direct_messages(club: Club) -> None:
    answer = await club.whisper(club.alice, "challenge", game="dalen", opponent=club.bob.user)
    assert answer.private.startswith("Here you can only play the computer.")


async def test_users_can_look_things_up_in_direct_messages(club: Club) -> None:
    assert "No match has been played here yet." in (await club.whisper(club.alice, "board")).private
    answer = await club.whisper(club.alice, "settings")
    await club.choose_in(club.alice.user, "my-language", "de", on=answer.private_handle)
    assert (await club.whisper(club.alice, "board")).private.startswith("Hier wurde noch keine Partie gespielt.")


async def test_a_match_of_a_server_is_unknown_elsewhere(club: Club) -> None:
    await club.match()
    assert "There is no match with that number" in (await club.whisper(club.alice, "board", match="1")).private


# Among friends


@pytest.mark.parametrize("anybody", [True, False])
async def test_friends_start_a_match_from_the_lobby(club: Club, chat: ChannelHandle, anybody: bool) -> None:
    lobby = (await club.whisper(club.alice, "play")).private_handle
    for label in ("Start a game", "Dalen"):
        assert (await club.press(club.alice.user, label, on=lobby)).nothing
    if anybody:
        await club.press(club.alice.user, "Anybody here", on=lobby)
    else:
        await club.choose_in(club.alice.user, "offer-to", club.bob.user, on=lobby)
    assert f"Alice challenges {'anyone' if anybody else 'Bob'}" in last(club, chat).text
    (board,) = await press(club, club.bob, "Accept", chat)
    assert len(board.pictures) == 1


async def test_friends_play_a_match_in_their_conversation(club: Club, chat: ChannelHandle) -> None:
    await club.whisper(club.alice, "challenge", game="dalen", size=5, first="challenger")
    challenge = last(club, chat)
    assert not challenge.private
    assert "Alice challenges anyone" in challenge.text
    assert challenge.labels == ("Accept", "Withdraw", "Play the computer", "Learn in 3 minutes")
    (board,) = await press(club, club.bob, "Accept", chat)
    assert not board.private
    assert board.pinged == (club.alice.id,)
    assert len(board.pictures) == 1
    assert "Match #1 is played here" in club.seen(chat.history()[0]).text
    assert (await club.whisper(club.alice, "move", turn="e5")).result.response is None
    assert "Alice opened with `e5`" in last(club, chat).text
    (chosen,) = await press(club, club.bob, "Play Light", chat)
    assert "Bob chose **Light**" in chosen.text
    assert await club.turns() == ("e5", "light")
    # Each board took the buttons of the previous one.
    assert [bool(club.seen(each).labels) for each in chat.history()][:-1] == [False] * (len(chat.history()) - 1)


async def test_a_conversation_survives_a_restart_between_any_two_turns(club: Club, chat: ChannelHandle) -> None:
    await begin(club, chat)
    await club.restart()
    await club.whisper(club.alice, "move", turn="e5")
    await club.restart()
    await press(club, club.bob, "Play Light", chat)
    assert "Bob chose **Light**" in last(club, chat).text
    assert await club.turns() == ("e5", "light")


async def test_a_stale_board_says_so_and_loses_its_buttons(club: Club, chat: ChannelHandle) -> None:
    await begin(club, chat)
    await club.restart()
    await club.whisper(club.alice, "move", turn="e5")
    # The bot can change the previous board only when it is pressed.
    old = next(each for each in chat.history() if "Play" in club.seen(each).labels)
    result = await club.alice.user.click(old, label="Play")
    (answer,) = [club.seen(each) for each in result.followups]
    assert answer.private
    assert "The board has moved on" in answer.text
    assert club.seen(old).labels == ()


async def test_an_unshown_turn_is_shown_at_the_next_interaction(club: Club, chat: ChannelHandle) -> None:
    await begin(club, chat)
    await play_turn(club.app.matches, 1, club.alice.id, "e5", to_show=True)
    before = len(chat.history())
    requests = len(club.env.http_requests)
    await club.restart()
    assert len(chat.history()) == before
    assert club.requests("POST", r"/channels/.*", requests) == []
    assert (await club.whisper(club.bob, "board")).result.response is None
    assert "Alice opened with `e5`" in last(club, chat).text


async def test_an_expired_challenge_says_so_at_a_press(club: Club, chat: ChannelHandle) -> None:
    await club.whisper(club.alice, "challenge", game="dalen")
    await club.env.advance_time(25 * 60 * 60)
    await club.app.timers.schedule()
    await club.env.settle()
    (answer,) = await press(club, club.bob, "Accept", chat)
    assert answer.private
    assert "This challenge has expired" in answer.text
    assert "expired without an answer" in last(club, chat).text
    assert last(club, chat).labels == ()


async def test_a_second_match_waits_for_the_first(club: Club, chat: ChannelHandle) -> None:
    await begin(club, chat)
    await begin(club, chat)
    card = last(club, chat)
    assert "Match #2 **waits** for the match here to end." in card.text
    assert "Threads" not in card.text
    answer = await club.whisper(club.alice, "resign", match="1")
    await club.alice.user.click(answer.private_handle, label="Yes, resign")
    assert (await club.delivery()).channel_id == chat.id
    assert sum("Alice resigned" in club.seen(each).text for each in chat.history()) == 1
    assert "Match #2" in last(club, chat).text


async def test_a_conversation_has_the_language_of_the_acting_user(club: Club, chat: ChannelHandle) -> None:
    club.speak(club.alice, "de")
    await club.whisper(club.alice, "challenge", game="dalen", first="challenger")
    assert "Annehmen" in last(club, chat).labels
    await press(club, club.bob, "Annehmen", chat)
    assert "More…" in last(club, chat).labels


async def test_others_find_no_match_of_a_conversation(club: Club, chat: ChannelHandle) -> None:
    await begin(club, chat)
    assert "There is no match with that number" in (await club.slash(club.carol, "board", match="1")).private
    assert "There is no match with that number" in (await club.slash(club.alice, "board", match="1")).private


async def test_a_leaderboard_of_a_conversation_is_shown_there(club: Club, chat: ChannelHandle) -> None:
    await begin(club, chat)
    await club.app.matches.resign(1, club.alice.id, shown_by_caller=True)
    await club.whisper(club.bob, "leaderboard")
    board = last(club, chat)
    assert not board.private
    assert "Bob" in board.text


async def test_a_double_press_shares_once_in_a_conversation(club: Club, chat: ChannelHandle) -> None:
    await begin(club, chat)
    handle = (await club.whisper(club.alice, "replay")).private_handle
    screen, cards = club.screen(handle), len(club.cards(chat))
    await club.press_together((club.alice, "Share", screen), (club.alice, "Share", screen))
    assert len(club.cards(chat)) == cards + 1
    assert "shown by Alice" in last(club, chat).text
    assert "Shared" in club.seen(handle).labels


# Servers without the bot


async def test_a_member_of_a_server_without_the_bot_is_challenged_from_the_lobby(club: Club) -> None:
    club.allow(club.alice, "use_external_apps", where=club.channel)
    lobby = await club.open(club.alice, "play")
    club.env.backend.emit("GUILD_DELETE", {"id": str(club.guild.id)})
    await club.env.settle()
    for label in ("Start a game", "Dalen"):
        answer = await club.press(club.alice, label, on=lobby)
        assert answer.nothing, answer.private
    (sent,) = (await club.choose_in(club.alice, "offer-to", club.bob, on=lobby)).messages
    assert "Alice challenges Bob" in sent.text
    assert not sent.private
