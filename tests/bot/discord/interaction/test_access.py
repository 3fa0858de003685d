"""Who finds the matches of channels that some members cannot view."""

from __future__ import annotations

from typing import Any

from simcord import ChannelHandle, MemberActor

from bot.discord.posting.cards.tournament import (
    CallOff,
    ChooseEntrant,
    JoinTournament,
    ShowTournament,
    StartTournament,
)
from bot.domain.places import Place
from tests.support.discord.actions import open_tournament, quick_match, start_tournament
from tests.support.discord.club import Club, numbers
from tests.support.games import WHOLE_GAME
from tests.support.services.matches import start
from tests.support.services.stored import running_matches

NO_SUCH_MATCH = "There is no match with that number here. Choose one from the list."
STRANGER = "You are not playing in match #1"
#: Every command that takes a match, with its other options.
BY_NUMBER: list[tuple[str, dict[str, Any]]] = [
    ("board", {}),
    ("board", {"overlay": "legal"}),
    ("replay", {}),
    ("try", {"turns": "e5"}),
    ("move", {"turn": "e5"}),
    ("pass", {}),
    ("resign", {}),
    ("draw", {}),
    ("undo", {}),
]
OFFERED = ("board", "replay", "try", "move", "resign", "draw")


async def staff_room(club: Club) -> ChannelHandle:
    """A channel that Carol cannot view."""
    room = club.guild.create_text_channel("staff")
    club.hide_from(club.carol, room)
    await club.env.settle()
    return room


async def offered(club: Club, who: MemberActor, command: str, typed: str = "") -> list[str]:
    choices = await club.offers(who, typed, command=command, option="match")
    return [each["value"] for each in choices]


async def test_a_hidden_match_is_answered_like_an_unknown_one(club: Club) -> None:
    room = await staff_room(club)
    dan = club.join("Dan")
    running = await quick_match(club, club.alice, club.bob, room.id)
    for command, options in BY_NUMBER:
        hidden = await club.slash(club.carol, command, match=str(running.id), **options)
        assert hidden.private == NO_SUCH_MATCH, command
        assert hidden.private == (await club.slash(club.carol, command, match="99", **options)).private
    for command in OFFERED:
        assert await offered(club, club.carol, command) == []
        assert await offered(club, club.carol, command, "#1") == []
    for command in ("board", "replay", "try"):
        assert await offered(club, dan, command) == ["1"], "who can view the channel is offered its matches"
        assert await offered(club, club.alice, command) == ["1"]
    assert "Alice vs Bob" in (await club.slash(dan, "replay", match="1")).private
    assert "You are not playing in match #1" in (await club.slash(dan, "resign", match="1")).private


async def test_lists_leave_out_hidden_matches(club: Club) -> None:
    room = await staff_room(club)
    dan = club.join("Dan")
    over = await quick_match(club, club.alice, club.bob, room.id)
    await club.app.matches.resign(over.id, club.alice.id, shown_by_caller=True)
    seen = await quick_match(club, club.bob, dan, club.channel.id)
    await club.app.matches.resign(seen.id, dan.id, shown_by_caller=True)
    running = await quick_match(club, club.alice, club.bob, room.id)

    async def listed(who: MemberActor, command: str) -> list[int]:
        (card,) = (await club.slash(who, command, player=club.bob)).messages
        return numbers(card)

    assert await listed(club.carol, "games") == []
    assert await listed(club.carol, "history") == [seen.id]
    assert await listed(dan, "games") == [running.id]
    assert await listed(dan, "history") == [seen.id, over.id]
    (own,) = (await club.slash(club.bob, "history")).messages
    assert numbers(own) == [seen.id, over.id]


async def test_a_profile_counts_all_matches_but_names_opponents_of_visible_ones(club: Club) -> None:
    room = await staff_room(club)
    dan = club.join("Dan")
    for opponent, where in ((club.alice, room), (dan, club.channel)):
        match = await quick_match(club, club.bob, opponent, where.id)
        await club.play_quietly(match.id, WHOLE_GAME[:4])
        await club.app.matches.resign(match.id, opponent.id, shown_by_caller=True)
    hidden = (await club.slash(club.carol, "profile", player=club.bob)).private
    assert "**Results** 2\N{NO-BREAK SPACE}wins" in hidden
    assert "Dan" in hidden
    assert "Alice" not in hidden
    for who in (dan, club.bob):
        whole = (await club.slash(who, "profile", player=club.bob)).private
        assert "Alice" in whole
        assert "Dan" in whole


async def test_an_old_list_opens_no_match_of_a_channel_hidden_since(club: Club) -> None:
    room = club.guild.create_text_channel("staff")
    await club.env.settle()
    match = await quick_match(club, club.alice, club.bob, room.id)
    await club.app.matches.resign(match.id, club.alice.id, shown_by_caller=True)
    card = await club.slash(club.carol, "history", player=club.bob)
    replay = await club.slash(club.carol, "replay", match="1")
    club.hide_from(club.carol, room)
    await club.env.settle()
    answer = await club.choose_in(club.carol, "replay-open", "1", on=card.private_handle)
    assert NO_SUCH_MATCH in answer.messages[-1].text
    label = next(label for label in replay.messages[0].labels if "Show" in label or "Share" in label)
    assert NO_SUCH_MATCH in (await club.press(club.carol, label, replay.private_handle)).messages[-1].text


async def finds(club: Club, who: MemberActor, match: int = 1) -> bool:
    """Whether a member finds a match by its number and among the suggestions."""
    found = (await club.slash(who, "replay", match=str(match))).private != NO_SUCH_MATCH
    assert (str(match) in await offered(club, who, "replay")) is found
    return found


async def test_players_alone_find_the_matches_of_a_channel_that_is_closed_to_them_or_deleted(club: Club) -> None:
    room = await staff_room(club)
    await quick_match(club, club.alice, club.carol, room.id)
    dan = club.join("Dan")
    assert [await finds(club, who) for who in (club.alice, club.carol, dan)] == [True, True, True]
    assert numbers((await club.slash(club.carol, "games")).card) == [1]
    club.env.backend.delete_channel(room.id)
    await club.env.settle()
    assert [await finds(club, who) for who in (club.alice, club.carol, dan)] == [True, True, False]


async def test_a_public_thread_is_as_open_as_its_channel_even_if_archived(club: Club) -> None:
    room, dan = await staff_room(club), club.join("Dan")
    thread = await club.open_thread(club.alice, club.bob, parent=room)
    await club.accepted_challenge(club.alice, club.bob, thread, first="challenger")
    for archived in (False, True):
        club.env.backend.edit_channel(thread.id, {}, thread_metadata={"archived": archived})
        await club.env.settle()
        assert [await finds(club, who) for who in (club.bob, dan, club.carol)] == [True, True, False]
    for opponent in (club.bob, dan):
        await club.accepted_challenge(club.alice, opponent, room)
    assert (await club.delivery(3)).channel_id not in (None, room.id), "a thread of its own"
    assert [await finds(club, who, 3) for who in (club.bob, dan, club.carol)] == [True, True, False]


async def test_a_private_thread_is_open_to_users_in_it_and_to_thread_managers(club: Club) -> None:
    thread = await club.open_thread(club.alice, club.bob, private=True)
    keeper = club.join_as_moderator("Kim", "manage_threads")
    await quick_match(club, club.alice, club.bob, thread.id)
    assert [await finds(club, who) for who in (keeper, club.carol)] == [True, False]
    club.env.backend.add_thread_member(thread.id, club.carol.id)
    assert "Alice vs Bob" in (await club.slash(club.carol, "replay", where=thread, match="1")).private
    choices = await club.offers(club.carol, "", command="replay", option="match", where=thread)
    assert [each["value"] for each in choices] == ["1"]


async def test_a_thread_archived_before_its_channel_was_noted_is_asked_for_once(club: Club) -> None:
    thread = await club.open_thread(club.alice, club.bob)
    await quick_match(club, club.alice, club.bob, thread.id)
    club.env.backend.edit_channel(thread.id, {}, thread_metadata={"archived": True})
    await club.env.settle()
    assert await offered(club, club.carol, "replay") == []
    asked = len(club.env.http_requests)
    for _ in range(2):
        assert "Alice vs Bob" in (await club.slash(club.carol, "replay", match="1")).private
    assert len(club.requests("GET", rf"/channels/{thread.id}", asked)) == 1
    assert await offered(club, club.carol, "replay") == ["1"]


async def test_organisers_find_their_tournament_and_others_view_its_channel(club: Club) -> None:
    room = await staff_room(club)
    await open_tournament(club, where=room, name="Staff Cup")
    nothing = await club.open(club.carol, "tournament")
    assert "No tournament on this server yet." in club.seen(nothing).text
    for press in (ShowTournament(1), JoinTournament(1), StartTournament(1), CallOff(1)):
        assert "There is no such tournament here" in (await club.forge(club.carol, press, on=nothing)).private
    await club.open(club.alice, "tournament", "Leave")
    club.hide_from(club.alice, room)
    await club.env.settle()
    called_off = await club.open(club.alice, "tournament", "Call it off…", "Yes, call it off")
    assert "The tournament was called off." in club.seen(called_off).text


# Moderators


async def keeper_of(club: Club, room: ChannelHandle) -> MemberActor:
    """A member who moderates one channel only."""
    keeper = club.join("Kim")
    club.allow(keeper, "manage_messages", where=room)
    await club.env.settle()
    return keeper


async def test_a_moderator_judges_matches_of_their_channel_from_anywhere_and_no_others(club: Club) -> None:
    keeper = await keeper_of(club, club.channel)
    elsewhere = club.guild.create_text_channel("elsewhere")
    await club.env.settle()
    thread = await club.open_thread(club.alice, club.bob)
    for where in (elsewhere, thread, thread):
        await quick_match(club, club.alice, club.bob, where.id)
    for here in (elsewhere, club.channel):
        assert STRANGER in (await club.slash(keeper, "resign", where=here, match="1")).private
        offers = await club.offers(keeper, "", command="resign", option="match", where=here)
        assert [each["value"] for each in offers] == ["2", "3"]
    question = await club.slash(keeper, "resign", where=elsewhere, match="2")
    await club.press(keeper, "End this match", question.private_handle)
    assert question.private == "You ended match #2."
    for match, judges in (("1", False), ("3", True)):
        await club.app.matches.resign(int(match), club.alice.id, shown_by_caller=True)
        board = await club.slash(keeper, "board", where=elsewhere, match=match)
        assert ("Void result" in board.card.labels) is judges


async def test_a_former_moderator_cannot_confirm_an_old_question(club: Club) -> None:
    keeper = await keeper_of(club, club.channel)
    await quick_match(club, club.alice, club.bob, club.channel.id)
    question = await club.slash(keeper, "resign", match="1")
    club.allow_all()
    await club.env.settle()
    assert STRANGER in (await club.press(keeper, "End this match", question.private_handle)).private
    assert (await club.app.matches.match(1)).result is None


async def test_the_moderators_of_another_channel_have_no_say_in_a_tournament(club: Club) -> None:
    room = club.guild.create_text_channel("quiet")
    keeper = await keeper_of(club, room)
    await open_tournament(club, club.bob, name="Cup")
    card = await club.open(keeper, "tournament", where=room)
    assert club.seen(card).labels == ("Join", "Open a tournament")
    for press in (CallOff(1), StartTournament(1), ChooseEntrant(1, 0, club.bob.id)):
        answer = await club.forge(keeper, press, on=card)
        assert "Only Alice, who opened this tournament, can do that." in answer.private
    club.allow(keeper, "manage_messages", where=club.channel)
    await club.env.settle()
    card = await club.open(keeper, "tournament", "Call it off…", "Yes, call it off", where=room)
    assert "The tournament was called off." in club.seen(card).text


async def test_a_moderator_does_not_judge_a_tournament_they_play_in(club: Club) -> None:
    moderator, other = club.join_as_moderator("Mo"), club.join_as_moderator("Moe")
    await open_tournament(club, club.bob, moderator, at_once=2)
    await start_tournament(club)
    (match,) = [each for each in await running_matches(club.app.storage) if not each.has_player(moderator.id)]
    card = await club.open(moderator, "tournament")
    for answer in (
        await club.slash(moderator, "resign", match=str(match.id)),
        await club.press(moderator, "Call it off…", on=card),
        await club.choose(moderator, str(club.bob.id), on=card),
    ):
        assert "You are in this tournament, so you cannot decide about it" in answer.private
    assert "As a moderator, you can end it" in (await club.slash(other, "resign", match=str(match.id))).private
    await club.app.matches.resign(match.id, match.first.id, shown_by_caller=True)
    for who, offers in ((moderator, False), (other, True)):
        assert ("Void result" in (await club.slash(who, "board", match=str(match.id))).card.labels) is offers


async def test_there_are_no_moderators_outside_servers(club: Club) -> None:
    moderator = club.join_as_moderator("Mo", "administrator")
    here = Place(None, club.conversation(moderator, club.alice, club.bob).id)
    await start(club.app.matches, club.player(club.alice), club.player(club.bob), here)
    assert STRANGER in (await club.whisper(moderator, "resign")).private
