"""Where matches are played: in the channel, in threads, or nowhere yet."""

from __future__ import annotations

import pytest

from bot.domain.matches import Ending, Result
from tests.support.discord.actions import resign, second_match
from tests.support.discord.club import Club

THREADS = ("create_public_threads",)


async def test_the_first_match_is_played_in_the_channel_and_others_in_threads(club: Club) -> None:
    await club.accepted_challenge(club.alice, club.bob, first="challenger")
    assert (await club.delivery()).channel_id == club.channel.id
    assert club.threads() == []
    assert "Match #1 is played here" in club.cards()[0].text
    assert len(club.boards()) == 1
    match = await second_match(club)
    (thread,) = club.threads()
    assert thread.name == "Dalen · Alice 🆚 Carol"
    assert (await club.delivery(match.id)).channel_id == thread.id
    assert len(club.boards()) == 1
    (board,) = club.boards(thread)
    assert board.pinged == (club.alice.id,)
    card = next(card for card in club.cards() if "Alice challenges Carol" in card.text)
    assert f"Match #2 is played in <#{thread.id}>" in card.text
    # A match challenged in a busy thread gets another thread.
    await club.accepted_challenge(club.carol, club.bob, thread)
    assert [len(club.boards(thread)) for thread in club.threads()] == [1, 1]
    assert (await club.delivery()).channel_id == club.threads()[-1].id


@pytest.mark.parametrize("forbidden", ["create_public_threads", "send_messages_in_threads"])
async def test_matches_wait_and_start_one_by_one_where_threads_are_forbidden(club: Club, forbidden: str) -> None:
    club.forbid(forbidden)
    running = await club.match()
    second = await second_match(club)
    assert (await club.delivery(second.id)).channel_id is None
    waits = "Match #2 **waits** for the match here to end, because I could not open a thread"
    assert waits in club.card().text
    assert "*Create Public Threads*" not in club.card().text
    assert club.threads() == []
    assert len(club.boards()) == 1
    third = await club.accepted_challenge(club.bob, club.carol)
    await resign(club, running)
    assert (await club.delivery(second.id)).channel_id == club.channel.id
    assert (await club.delivery(third.id)).channel_id is None
    ended, board = club.boards()[-2:]
    assert "Bob** wins: Alice resigned" in ended.text
    assert "Alice vs Carol" in board.text
    assert board.pinged == (club.alice.id,)
    assert any("Carol accepted. Match #2 is played here" in card.text for card in club.cards())
    await resign(club, second)
    assert (await club.delivery(third.id)).channel_id == club.channel.id


async def test_a_waiting_match_can_only_be_resigned(club: Club) -> None:
    club.forbid(*THREADS)
    await club.match()
    match = await club.match(club.alice, club.carol)
    answer = await club.slash(club.alice, "move", turn="e5", match=str(match.id))
    assert "Match #2 is waiting for a place" in answer.private
    (listed,) = (await club.slash(club.alice, "games")).messages
    listed.says("2 matches are running · 1 waiting for you", "▫️ **#2** Dalen against Carol\n-# waiting for a place")
    boards = len(club.boards())
    await resign(club, match)
    assert (await club.newest_match()).result == Result(club.carol.id, Ending.RESIGNATION)
    await club.restart()
    assert len(club.boards()) == boards
    assert club.threads() == []


async def test_a_match_that_could_start_while_the_bot_was_away_starts_later(club: Club) -> None:
    club.forbid(*THREADS)
    running = await club.match()
    waiting = await club.match(club.alice, club.carol)
    # The bot dies once the end is stored.
    await club.app.matches.resign(running.id, running.first.id, shown_by_caller=True)
    await club.restart()
    ended, board = club.boards()[-2:]
    assert "Alice resigned" in ended.text
    assert "Alice vs Carol" in board.text
    assert (await club.delivery(waiting.id)).channel_id == club.channel.id
    posts = len(club.posts())
    await club.restart()
    assert len(club.posts()) == posts


async def test_a_waiting_match_starts_once_threads_are_allowed_again(club: Club) -> None:
    club.forbid("create_public_threads")
    moderator = club.join_as_moderator("Mo", "manage_roles")
    await club.match()
    await club.accepted_challenge(moderator, club.carol, size=5, first="challenger")
    waits = "Match #2 waits for the match here to end"
    assert (await club.slash(club.carol, "board", match="2")).private == f"{waits}."
    # Only members who can grant permissions read which are missing.
    advice = "allow me to *Create Public Threads*"
    assert advice in (await club.slash(moderator, "board", match="2")).private
    club.allow_all()
    answer = await club.slash(club.carol, "board", match="2")
    (thread,) = club.threads()
    assert answer.private == f"The board is in <#{thread.id}>."
    assert len(club.boards(thread)) == 1
    card = next(card for card in club.cards() if "Mo challenges Carol" in card.text)
    assert f"Match #2 is played in <#{thread.id}>" in card.text


async def test_a_match_whose_thread_was_deleted_gets_another(club: Club) -> None:
    await club.match()
    match = await second_match(club)
    (thread,) = club.threads()
    club.env.backend.delete_channel(thread.id)
    await club.env.settle()
    answer = await club.slash(club.carol, "board", match=str(match.id))
    (new,) = club.threads()
    assert answer.private == f"The board is in <#{new.id}>."
    assert new.id != thread.id
    assert len(club.boards(new)) == 1
    assert any(f"Match #2 is played in <#{new.id}>" in card.text for card in club.cards())
    await club.move(club.alice, "e5", where=new)
    assert await club.turns(match.id) == ("e5",)


async def test_no_match_number_is_needed_where_one_match_fits(club: Club) -> None:
    await club.match()
    await club.match(club.alice, club.carol)
    (thread,) = club.threads()
    await club.move(club.alice, "e5")
    await club.move(club.alice, "d4", where=thread)
    assert await club.turns(1) == ("e5",)
    assert await club.turns(2) == ("d4",)
    # Carol plays in only one match, so she may answer from anywhere. Then it is the only one that awaits Alice.
    elsewhere = club.guild.create_text_channel("elsewhere")
    await club.move(club.carol, "light")
    await club.move(club.carol, "c3", where=elsewhere)
    await club.move(club.alice, "a1", where=elsewhere)
    assert await club.turns(2) == ("d4", "light", "c3", "a1")
    # Bob plays in only one match, and it awaits him.
    await club.move(club.bob, "light", where=elsewhere)
    # No match awaits Alice, so the bot cannot know which one she means.
    answer = (await club.slash(club.alice, "move", where=elsewhere, turn="a1")).card
    assert "Several of your matches fit." in answer.text
    assert answer.labels == ("#1 Dalen against Bob", "#2 Dalen against Carol")


async def test_a_match_can_be_named_by_its_number_with_suggestions(club: Club) -> None:
    await club.match()
    await club.match(club.alice, club.carol)
    elsewhere = club.guild.create_text_channel("elsewhere")
    offered = await club.offers(club.alice, "", option="match", where=elsewhere)
    assert [(choice["name"], choice["value"]) for choice in offered] == [
        ("#1 Dalen · Alice vs Bob · your turn", "1"),
        ("#2 Dalen · Alice vs Carol · your turn", "2"),
    ]
    assert [choice["value"] for choice in await club.offers(club.alice, "carol", option="match")] == ["2"]
    assert [choice["value"] for choice in await club.offers(club.bob, "", option="match")] == ["1"]
    await club.move(club.alice, "e5", where=elsewhere, match="2")
    await club.move(club.alice, "d4", where=elsewhere, match="#1")
    assert await club.turns(2) == ("e5",)
    assert await club.turns(1) == ("d4",)


async def test_a_wrong_match_number_is_refused(club: Club) -> None:
    await club.match()
    for number, said in (
        *((each, "There is no match with that number here") for each in ("99", "#12345", "999999999")),
        *((each, "Name a match by its number") for each in ("first", "1.5", "-1", "٣", "9" * 30)),
    ):
        assert said in (await club.slash(club.alice, "move", turn="e5", match=number)).private
    answer = await club.slash(club.carol, "move", turn="e5", match="1")
    assert "You are not playing in match #1 (Alice vs Bob)." in answer.private


async def test_turns_from_elsewhere_are_confirmed_in_words(club: Club) -> None:
    await club.match(game="fiodar")
    elsewhere, where = club.guild.create_text_channel("elsewhere"), f"<#{club.channel.id}>"
    answer = await club.slash(club.alice, "move", where=elsewhere, turn="e5")
    assert answer.private == f"Played `e5` in match #1: {where}"
    assert "Alice opened with `e5`" in club.card().text
    assert club.cards(elsewhere) == []
    club.speak(club.bob, "de")
    answer = await club.slash(club.bob, "move", where=elsewhere, turn="white")
    assert answer.private == f"Du hast **Weiß** in Partie #1 gewählt: {where}"
    asked = await club.slash(club.bob, "pass", where=elsewhere)
    passed = await club.change(club.bob, asked.card.labels[0], on=asked.private_handle)
    assert passed.text == f"Du hast in Partie #1 gepasst: {where}"


async def test_a_user_without_a_match_reads_how_to_start_one(club: Club) -> None:
    for command in ("pass", "resign"):
        said = (await club.slash(club.carol, command)).private
        assert said == "You have no running match here. Start one with /play."
    for command in ("board", "replay", "try"):
        said = (await club.slash(club.carol, command)).private
        assert said == "No match has been played here yet. /play starts one."
