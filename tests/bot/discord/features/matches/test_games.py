"""/games lists running matches and nudges, /history finished ones, but none of servers where the reader is not."""

from __future__ import annotations

from simcord import MemberActor

from bot.discord.ui.presses import NONE
from bot.domain.limits import NUDGE_AFTER, NUDGE_AGAIN
from bot.domain.matches import Match
from tests.support.discord.actions import finished_match, quick_match
from tests.support.discord.club import Answer, Club, numbers


async def resigned(club: Club, winner: MemberActor, loser: MemberActor, channel_id: int = 77) -> Match:
    match = await quick_match(club, loser, winner, channel_id)
    await club.app.matches.resign(match.id, loser.id, shown_by_caller=True)
    return match


async def test_empty_lists_offer_to_start_a_game(club: Club) -> None:
    for command in ("games", "history"):
        answer = await club.slash(club.alice, command)
        assert answer.messages[0].labels == ("Start a game", "Learn")
        await club.press(club.alice, "Learn", on=answer.private_handle)
        assert "Which game do you want to learn?" in club.seen(answer.private_handle).text
    assert (await club.slash(club.alice, "history", game="hedu")).messages[0].labels == ()


async def test_games_lists_waiting_boards_first_and_opens_turns(club: Club) -> None:
    await club.match(turns=["e5", "light"])
    await club.match(club.alice, club.carol, turns=["e5"])
    await club.match(club.bob, club.alice, turns=["e5", "light"])
    card = (listed := await club.slash(club.alice, "games")).card
    assert numbers(card) == [3, 1, 2]
    assert "**your turn** · <t:" in card.text
    card.says("Bob's turn · <t:", "3 matches are running · 1 waiting for you", f"/{club.channel.id}/")
    assert card.pinged == ()
    assert len(card.files) == 3
    assert "Dalen" in card.files[0]["description"]
    assert card.labels == ("Play #3",)
    theirs = (await club.slash(club.bob, "games", player=club.alice)).card
    theirs.says("Matches of Alice", "**Alice's turn**")
    assert theirs.labels == (), "only the player plays"
    await club.restart()
    assert (await club.press(club.alice, "Play #3", on=listed.private_handle)).nothing
    opened = club.seen(listed.private_handle)
    assert numbers(opened)[:1] == [3]
    assert len(opened.files) == 1


async def test_after_a_turn_the_next_waiting_match_is_one_press_away(club: Club) -> None:
    await club.match(club.alice, club.bob)
    second = await club.match(club.alice, club.carol)
    third = await club.match(club.carol, club.bob, turns=["e5"])
    answer = await club.slash(club.alice, "move", turn="e5", match="1")
    (card,) = answer.messages
    assert card.private
    assert "Played `e5` in match #1" in card.text
    assert numbers(card)[-1] == second.id
    assert "Carol" in card.text
    assert card.labels == ("Next match", "Skip")
    assert (await club.press(club.alice, "Next match", on=answer.private_handle)).nothing
    assert numbers(club.seen(answer.private_handle))[0] == second.id
    assert (await club.slash(club.alice, "move", turn="e5", match="2")).private.startswith("Played `e5` in match #2")
    pressed = await club.press(club.bob, "Play Dark", on=club.last_card())
    assert f"#{third.id}" in pressed.private
    await club.press(club.bob, "Next match", on=pressed.private_handle)
    assert numbers(club.seen(pressed.private_handle))[0] == third.id


async def test_skipping_goes_through_all_waiting_matches(club: Club) -> None:
    """Every waiting match comes once, the longest wait first. The match just played waits for the opponent."""
    for _ in range(2):
        await club.match()
        await club.env.advance_time(60)
    await club.match(club.alice, club.carol)
    handle = (await club.slash(club.alice, "move", turn="e5", match="3")).private_handle
    for skipped, following in ((1, 2), (2, 1)):
        card = await club.change(club.alice, "Skip", on=handle)
        assert f"You have skipped match #{skipped}." in card.text
        assert numbers(card)[-1] == following
    await club.app.matches.resign(2, club.bob.id, shown_by_caller=True)
    assert "No other match is waiting for you." in (await club.change(club.alice, "Skip", on=handle)).text


async def test_only_players_see_their_matches_of_other_servers(club: Club) -> None:
    await finished_match(club, ["e5", "light"])
    await club.match(turns=["e5"])
    other = club.env.create_guild("Other club")
    room = other.create_text_channel("games")
    alice, carol = (other.add_member(who.user) for who in (club.alice, club.carol))
    await club.env.settle()
    (mine,) = (await club.slash(alice, "games", where=room)).messages
    assert numbers(mine) == [2]
    assert "Club" in mine.text
    (history,) = (await club.slash(alice, "history", where=room)).messages
    assert numbers(history) == [1]
    for command in ("games", "history"):
        (theirs,) = (await club.slash(carol, command, where=room, player=alice)).messages
        assert numbers(theirs) == []
    assert "no match with that number" in (await club.slash(carol, "replay", where=room, match="1")).private
    assert "Alice vs Bob" in (await club.slash(alice, "replay", where=room, match="1")).private
    for who, offered in ((alice, {"1", "2"}), (carol, set[str]())):
        choices = await club.offers(who, "", command="replay", option="match", where=room)
        assert {each["value"] for each in choices} == offered


async def test_long_lists_have_pages_also_after_a_restart(club: Club) -> None:
    for number in range(6):
        room = club.guild.create_text_channel(f"room-{number}")
        await club.show((await quick_match(club, club.alice, club.bob, room.id)).id)
    for number in range(11):
        await resigned(club, club.alice, club.carol, 200 + number)
    turned = []
    for command, first in (("games", 5), ("history", 10)):
        handle = await club.open(club.alice, command)
        before = club.seen(handle)
        assert len(numbers(before)) == first
        after = await club.change(club.alice, "▶", on=handle)
        assert len(numbers(after)) == 1
        assert not set(numbers(before)) & set(numbers(after))
        assert "page 2 of 2" in after.text
        turned.append((handle, before))
    await club.restart()
    for handle, before in turned:
        assert (await club.change(club.alice, "◀", on=handle)).text == before.text


async def test_history_can_be_filtered_and_opens_replays(club: Club) -> None:
    await finished_match(club, ["e5", "light"], first=club.bob, second=club.alice)  # 1
    await resigned(club, club.carol, club.alice, club.channel.id)  # 2
    await resigned(club, club.alice, club.carol, club.channel.id)  # 3
    handle = await club.open(club.alice, "history")
    assert numbers(club.seen(handle)) == [3, 2, 1]
    theirs = (await club.slash(club.bob, "history", player=club.carol)).card
    assert "✅ Dalen, size 5: won against **Alice**" in theirs.text

    async def choose(action: str, value: str) -> list[int]:
        assert (await club.choose_in(club.alice, action, value, on=handle)).nothing
        return numbers(club.seen(handle))

    assert await choose("history-result", "won") == [3, 1]
    assert await choose("history-opponent", str(club.carol.id)) == [3]
    await club.restart()
    assert await choose("history-result", "drawn") == []
    assert "No finished match fits." in club.seen(handle).text
    assert await choose("history-result", NONE) == [3, 2]
    assert await choose("history-opponent", NONE) == [3, 2, 1]
    (card,) = (await club.slash(club.alice, "history", opponent=club.bob)).messages
    assert numbers(card) == [1]
    assert "No finished match fits." in (await club.slash(club.alice, "history", game="hedu")).private
    replay = (await club.choose_in(club.alice, "replay-open", "1", on=handle)).card
    assert "Turn 2 of 2" in replay.text
    assert len(replay.pictures) == 1


async def test_a_match_whose_card_was_deleted_is_still_listed_and_can_be_shown_again(club: Club) -> None:
    await club.match(turns=["e5"])
    await club.last_message().delete()
    (card,) = (await club.slash(club.bob, "games")).messages
    assert numbers(card) == [1]
    assert "/board posts it again" in card.text
    await club.slash(club.bob, "board")
    assert club.card().labels[:2] == ("Play Dark", "Play Light")
    (card,) = (await club.slash(club.bob, "games")).messages
    assert f"/{club.channel.id}/{club.card().id})" in card.text
    await club.press(club.bob, "Play Light")
    assert await club.turns() == ("e5", "light")


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
