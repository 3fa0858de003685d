"""Matches whose channel, thread, message, player or permission is gone, and matches that move: none is stuck."""

from __future__ import annotations

import asyncio

import pytest
from simcord import ChannelHandle, MemberActor

from bot.discord.transport.sender import NotShownError
from bot.domain.clocks import DAY
from bot.domain.matches import Ending, Match, ProposalKind
from bot.domain.preferences import BoardCards, PlayIn
from tests.support.actions import resign
from tests.support.club import Club, seen
from tests.support.services import play_turn

THREADS = ("create_public_threads",)


@pytest.fixture
def elsewhere(club: Club) -> ChannelHandle:
    return club.guild.create_text_channel("elsewhere")


async def want_threads(club: Club) -> None:
    await club.app.settings.change_server_settings(club.guild.id, play_in=PlayIn.THREAD)


async def delete(club: Club, where: ChannelHandle) -> None:
    club.env.backend.delete_channel(where.id)
    await club.env.settle()


def told(club: Club, who: MemberActor) -> list[str]:
    """The direct messages to somebody."""
    conversation = who.user.dm_channel if who.id in club.env.backend.dm_channels else None
    return [] if conversation is None else [seen(club.env, each).text for each in conversation.history()]


# Threads


async def test_a_server_that_wants_threads_gets_one_for_every_match(club: Club) -> None:
    await want_threads(club)
    await club.challenge(club.alice, club.bob, size=5, first="challenger")
    await club.press(club.bob, "Accept")
    match = await club.newest_match()
    (thread,) = club.threads()
    assert thread.name == "Dalen · Alice 🆚 Bob"
    assert (await club.delivery(match.id)).channel_id == thread.id
    assert club.boards() == []
    assert club.card(thread).pinged == (club.alice.id,)
    assert f"Match #1 is played in <#{thread.id}>" in club.card().text
    await club.move(club.alice, "e5", where=thread)
    await resign(club, match)
    assert "resigned" in club.card(thread).text
    assert club.is_archived(thread)
    # A voided result shows there, although Discord takes no changes in a closed thread: it is open for that long.
    moderator = club.join_as_moderator("Mo")
    board = await club.slash(moderator, "board", match="1")
    question = await club.press(moderator, "Void result", board.private_handle)
    since = len(club.env.http_requests)
    await club.press(moderator, "Void the result", question.private_handle)
    assert "Mo voided this result" in club.card(thread).text
    done = [request.path for request in club.env.http_requests[since:] if request.method == "PATCH"]
    refused, edited = [index for index, path in enumerate(done) if path.endswith(f"/messages/{club.card(thread).id}")]
    assert [refused, done[edited - 1], done[edited + 1]] == [edited - 2, *[f"/channels/{thread.id}"] * 2]
    assert club.is_archived(thread)


async def running_in_thread(club: Club) -> tuple[Match, ChannelHandle]:
    """A match in a thread, with a living card, a ping and somebody's words below it."""
    await club.app.settings.change_server_settings(club.guild.id, play_in=PlayIn.THREAD, board_cards=BoardCards.LIVING)
    match = await club.match()
    (thread,) = club.threads()
    await club.move(club.alice, "e5", where=thread)
    assert len(club.lines(thread)) == 1
    await club.bob.send(thread, "Nice!")
    return match, thread


def is_tidy(club: Club, thread: ChannelHandle) -> bool:
    """Whether only the last card of a thread has buttons, no ping is left, and the thread is closed."""
    pressable = [each.id for each in club.cards(thread) if each.labels]
    pinging = [each for each in club.lines(thread) if each.pinged]
    return pressable == [club.card(thread).id] and not pinging and club.is_archived(thread)


async def test_a_thread_is_closed_after_its_earlier_messages_are_tidied(club: Club) -> None:
    match, thread = await running_in_thread(club)
    await resign(club, match)
    assert "resigned" in club.card(thread).text
    assert is_tidy(club, thread)


async def test_a_start_shows_an_end_and_closes_the_thread(club: Club) -> None:
    match, thread = await running_in_thread(club)
    await club.app.matches.resign(
        match.id, match.first.id, shown_by_caller=True
    )  # the process dies before it shows that
    await club.restart()
    assert "resigned" in club.card(thread).text
    assert is_tidy(club, thread)


async def test_a_start_tidies_a_thread_that_was_closed_too_early(club: Club) -> None:
    match, thread = await running_in_thread(club)
    club.refuse("PATCH", times=99)
    club.refuse("DELETE", times=99)
    club.app.match_presenter.sender.on_failure = lambda: None  # the process dies before it tries again
    await resign(club, match)
    assert not is_tidy(club, thread)
    await club.stop()
    club.accept_again()
    await club.start()
    assert is_tidy(club, thread)


async def test_what_follows_an_end_changes_the_cards_in_the_closed_thread(club: Club) -> None:
    match, thread = await running_in_thread(club)
    await resign(club, match)
    await club.press(club.alice, "Rematch", on=club.last_card(thread))
    club.set_thread(thread, archived=True)
    # Nobody can press a button there, but the page has one, too.
    proposal = await club.app.proposals.accept(1, club.bob.id, shown_by_caller=True)
    await club.app.match_presenter.show_proposal(proposal.id)
    assert not {"Rematch", "Accept"} & {label for card in club.cards(thread) for label in card.labels}
    ended = await club.app.matches.match(match.id)
    await club.app.match_presenter.channels.close_thread(ended, await club.delivery(ended.id))
    assert not club.is_archived(thread), "the rematch is played there"


async def test_a_restart_between_the_acceptance_and_the_thread_loses_nothing(club: Club) -> None:
    await want_threads(club)
    challenge = await club.challenge(club.alice, club.bob, size=5, first="challenger")
    assert challenge.opponent is not None
    await club.app.challenges.accept(challenge.id, challenge.opponent, shown_by_caller=True)
    await club.restart()
    (thread,) = club.threads()
    assert len(club.boards(thread)) == 1
    await club.restart()
    assert len(club.boards(thread)) == 1


async def test_where_threads_are_wanted_and_not_allowed_the_free_channel_serves(club: Club) -> None:
    await want_threads(club)
    club.forbid(*THREADS)
    assert (await club.delivery((await club.match()).id)).channel_id == club.channel.id
    assert (await club.delivery((await club.match(club.alice, club.carol)).id)).channel_id is None


async def test_a_challenge_in_a_thread_is_played_in_that_thread(club: Club) -> None:
    await want_threads(club)
    match = await club.match()
    (thread,) = club.threads()
    await resign(club, match)
    club.set_thread(thread, archived=False)
    await club.env.settle()
    await club.challenge(club.alice, club.carol, where=thread)
    await club.press(club.carol, "Accept", on=club.last_message(thread))
    assert (await club.delivery()).channel_id == thread.id
    assert len(club.threads()) == 1


async def test_long_names_make_a_thread_name_that_discord_takes(club: Club) -> None:
    await want_threads(club)
    long = [club.join("*" * 31 + name) for name in "XY"]
    await club.challenge(long[0], long[1])
    await club.press(long[1], "Accept")
    (thread,) = club.threads()
    assert 1 <= len(str(thread.name)) <= 100


async def test_a_locked_thread_gives_way_to_another(club: Club) -> None:
    _, thread = await running_in_thread(club)
    club.set_thread(thread, archived=True, locked=True)
    await club.move(club.bob, "light")
    (new,) = [each for each in club.threads() if each.id != thread.id]
    assert "Bob chose **Light**" in club.card(new).text


async def test_a_match_whose_home_is_locked_waits_for_a_moderator(club: Club) -> None:
    club.env.backend.create_thread(club.channel.id, "our games", club.carol.id)
    await club.env.settle()
    (thread,) = club.threads()
    await club.challenge(club.alice, club.bob, size=5, first="challenger", where=thread)
    await club.press(club.bob, "Accept", on=club.last_message(thread))
    club.set_thread(thread, archived=True, locked=True)
    answer = await club.slash(club.alice, "move", turn="e5", match="1")
    assert "stored, but I could not show it" in answer.private
    assert "is locked; /board shows it once a moderator has unlocked it" in answer.private
    assert await club.turns() == ("e5",)
    posts = len(club.posts())
    await club.env.advance_time(60 * 60)
    assert len(club.posts()) == posts, "it is not tried again and again"
    club.set_thread(thread, locked=False)
    await club.slash(club.bob, "board", match="1")
    assert "Alice opened with `e5`" in club.card(thread).text


async def test_a_thread_is_opened_or_replaced_by_a_turn_and_the_end_needs_none(club: Club) -> None:
    await want_threads(club)
    match = await club.match()
    (thread,) = club.threads()
    club.set_thread(thread, archived=True)
    await club.env.settle()
    await club.move(club.alice, "e5")
    assert "Alice opened with `e5`" in club.card(thread).text
    await delete(club, thread)
    await club.move(club.bob, "light")
    (new,) = club.threads()
    assert "Bob chose **Light**" in club.card(new).text
    await delete(club, new)
    await resign(club, match)
    assert "Alice resigned" in club.card().text
    posts = len(club.posts())
    await club.restart()
    assert len(club.posts()) == posts


async def test_a_thread_closed_to_the_bot_gives_way_to_the_channel(club: Club) -> None:
    await want_threads(club)
    await club.match()
    club.forbid("send_messages_in_threads")
    await club.move(club.alice, "e5")
    assert "Alice opened with `e5`" in club.card().text
    assert (await club.delivery()).channel_id == club.channel.id


async def test_where_no_place_is_left_the_turn_counts_and_the_player_is_told(club: Club) -> None:
    await club.match()
    match = await club.match(club.alice, club.carol)
    club.forbid("send_messages_in_threads")
    answer = await club.slash(club.alice, "move", turn="e5", match=str(match.id))
    assert "done and stored" in answer.private
    assert await club.turns(match.id) == ("e5",)
    club.allow_all()
    await club.slash(club.alice, "board", match=str(match.id))
    (thread, *_) = [each for each in club.threads() if club.boards(each)]
    assert "Alice opened with `e5`" in club.card(club.threads()[-1]).text or club.boards(thread)


async def test_a_busy_forum_post_gets_another_post(club: Club) -> None:
    forum = club.guild.create_forum_channel("forum")
    backend = club.env.backend
    starter = backend.prepare_message(forum.id, backend.bot_user.id, "Games go here")
    post, _ = backend.create_forum_post(forum.id, "Games", starter)
    await club.env.settle()
    where = next(each for each in forum.threads if each.id == post.id)
    for opponent in (club.bob, club.carol):
        await club.challenge(club.alice, opponent, where=where)
        await club.press(opponent, "Accept", on=club.last_message(where))
    assert len(forum.threads) == 2
    assert {(await club.delivery(n)).channel_id for n in (1, 2)} == {each.id for each in forum.threads}


async def test_an_announcement_channel_has_threads_too(club: Club) -> None:
    news = club.guild.create_news_channel("news")
    for opponent in (club.bob, club.carol):
        await club.challenge(club.alice, opponent, where=news)
        await club.press(opponent, "Accept", on=club.last_message(news))
    assert len(news.threads) == 1


# Channels that are gone


async def test_a_match_without_its_channel_goes_on_where_a_player_asks_for_it(
    club: Club, elsewhere: ChannelHandle
) -> None:
    await club.match(turns=["e5"])
    await delete(club, club.channel)
    # Both players know that it waits, and how to go on.
    for who, opponent in ((club.alice, "Bob"), (club.bob, "Alice")):
        (said,) = told(club, who)
        assert f"channel of match #1 against {opponent}, so the match waits" in said
    answer = await club.slash(club.bob, "move", where=elsewhere, turn="light", match="1")
    assert "is waiting for a place: its channel is gone" in answer.private
    assert "/board" in answer.private
    # Strangers do not move it, and nobody moves it to where the server does not play.
    await club.slash(club.carol, "board", where=elsewhere, match="1")
    assert (await club.delivery()).channel_id is None
    change = club.app.settings.change_server_settings
    await change(club.guild.id, channel_ids=frozenset({club.channel.id}))
    assert "plays in other channels" in (await club.slash(club.alice, "board", where=elsewhere)).private
    await change(club.guild.id, channel_ids=frozenset())
    await club.restart()
    assert [len(told(club, who)) for who in (club.alice, club.bob)] == [1, 1]
    assert (await club.slash(club.bob, "board", where=elsewhere)).nothing
    assert "Alice opened with `e5`" in club.card(elsewhere).text
    assert (await club.delivery()).channel_id == elsewhere.id
    await club.press(club.bob, "Play Light", on=club.last_message(elsewhere))
    assert await club.turns() == ("e5", "light")


async def test_a_deadline_does_not_count_where_nobody_sees_the_board(club: Club, elsewhere: ChannelHandle) -> None:
    await want_threads(club)
    match = await club.match(turns=["e5"], clock="3 days a turn")
    (thread,) = club.threads()
    await delete(club, thread)
    await club.env.advance_time(3 * DAY.total_seconds() + 60)
    # Another thread shows it, with the time of a whole turn; the deletion cost Bob nothing.
    (new,) = club.threads()
    assert club.card(new).pinged == (club.bob.id,)
    clock = (await club.app.matches.match(match.id)).clock
    assert clock is not None
    assert clock.flag_at is not None
    assert clock.flag_at > club.env.now() + 2 * DAY
    # In a channel that the bot may no longer view, it waits until it may.
    club.forbid("view_channel")
    await club.env.advance_time(4 * DAY.total_seconds())
    assert (await club.app.matches.match(match.id)).waiting
    assert len(told(club, club.bob)) == 1
    club.allow_all()
    await club.env.settle()
    assert "Alice opened with `e5`" in club.card(club.threads()[-1]).text
    back = await club.app.matches.match(match.id)
    assert not back.waiting
    assert back.clock is not None
    assert back.clock.time_left_at(1, club.env.now()) > 2 * DAY


async def test_a_match_that_has_lost_its_place_is_shown_where_it_finds_another(club: Club) -> None:
    first = await club.match(club.alice, club.carol)
    second = await club.match(clock="3 days a turn")
    (thread,) = club.threads()
    await club.move(club.alice, "e5", match=str(second.id))
    club.forbid(*THREADS)
    await delete(club, thread)
    await club.env.advance_time(3 * DAY.total_seconds() + 60)
    assert (await club.app.matches.match(second.id)).waiting
    await resign(club, first)
    assert "Alice opened with `e5`" in club.card().text
    assert club.card().pinged == (club.bob.id,)


async def test_a_match_in_a_thread_beside_its_deleted_home_goes_on_there(club: Club) -> None:
    club.env.backend.create_thread(club.channel.id, "our games", club.carol.id)
    await club.env.settle()
    (home,) = club.threads()
    for opponent in (club.carol, club.bob):
        await club.challenge(club.alice, opponent, size=5, first="challenger", where=home)
        await club.press(opponent, "Accept", on=club.last_message(home))
    beside = (await club.delivery()).channel_id
    await delete(club, home)
    assert (await club.app.matches.match(1)).waiting
    assert (await club.delivery()).channel_id == beside
    assert told(club, club.bob) == []


async def test_a_waiting_match_leaves_a_gone_channel_too(club: Club, elsewhere: ChannelHandle) -> None:
    club.forbid(*THREADS)
    await club.match()
    match = await club.match(club.alice, club.carol)
    await delete(club, club.channel)
    assert (await club.slash(club.carol, "board", where=elsewhere, match=str(match.id))).nothing
    assert (await club.delivery(match.id)).channel_id == elsewhere.id
    assert "Alice vs Carol" in club.card(elsewhere).text


# Moving by consent


async def ask(club: Club, who: MemberActor, where: ChannelHandle, match: int = 1) -> None:
    answer = await club.slash(who, "board", where=where, match=str(match))
    assert "Play on here" in seen(club.env, answer.private_handle).labels
    await club.press(who, "Play on here", on=answer.private_handle)


async def test_a_player_asks_to_go_on_elsewhere_and_the_opponent_agrees(club: Club, elsewhere: ChannelHandle) -> None:
    await club.challenge(club.alice, club.bob, size=5, first="challenger")
    await club.press(club.bob, "Accept")
    await club.move(club.alice, "e5")
    await ask(club, club.alice, elsewhere)
    match = await club.newest_match()
    assert (await club.delivery(match.id)).channel_id == club.channel.id
    assert match.proposal(ProposalKind.MOVE) is not None
    assert f"<#{elsewhere.id}>" in club.card().text
    await club.restart()
    await club.press(club.bob, "Accept")
    assert (await club.delivery()).channel_id == elsewhere.id
    assert club.card(elsewhere).labels[:2] == ("Play Dark", "Play Light")
    assert all("Play Light" not in card.labels for card in club.cards())
    assert any(f"Match #1 is played in <#{elsewhere.id}>" in card.text for card in club.cards())


async def test_the_channel_that_a_match_left_goes_to_the_one_that_waits(club: Club, elsewhere: ChannelHandle) -> None:
    club.forbid(*THREADS)
    await club.match()
    waiting = await club.match(club.alice, club.carol)
    await ask(club, club.alice, elsewhere)
    await ask(club, club.bob, elsewhere)
    assert (await club.delivery(waiting.id)).channel_id == club.channel.id
    assert "Alice vs Carol" in club.card().text
    assert "Alice vs Bob" in club.card(elsewhere).text
    assert len(club.boards(elsewhere)) == 1
    # A match that waits moves by consent, too.
    waiting, hall = await club.match(club.bob, club.carol), club.guild.create_text_channel("hall")
    for who in (club.bob, club.carol):
        await ask(club, who, hall, waiting.id)
    assert (await club.delivery(waiting.id)).channel_id == hall.id
    assert "Bob vs Carol" in club.card(hall).text


async def test_a_match_moves_out_of_a_channel_where_the_bot_may_not_post(club: Club, elsewhere: ChannelHandle) -> None:
    await club.match(turns=["e5"])
    club.forbid("send_messages")
    answer = await club.slash(club.alice, "board", where=elsewhere)
    assert "I may not post in" in seen(club.env, answer.private_handle).text
    await club.press(club.alice, "Play on here", on=answer.private_handle)
    card = club.card(elsewhere)
    assert card.pinged == (club.bob.id,)
    await club.press(club.bob, "Accept", on=club.last_message(elsewhere))
    assert (await club.delivery()).channel_id == elsewhere.id


async def test_a_server_that_wants_threads_moves_a_match_to_a_thread(club: Club, elsewhere: ChannelHandle) -> None:
    await club.match()
    await want_threads(club)
    await ask(club, club.alice, elsewhere)
    await ask(club, club.bob, elsewhere)
    (thread,) = elsewhere.threads
    assert (await club.delivery()).channel_id == thread.id
    assert len(club.boards(thread)) == 1


# Messages, members and servers that are gone


async def test_a_match_goes_on_without_the_messages_before(club: Club) -> None:
    match = await club.match(turns=["e5"])
    message = (await club.delivery(match.id)).message
    assert message is not None
    club.env.backend.delete_message(club.channel.id, message.message_id)
    await club.move(club.bob, "light")
    assert "Bob chose **Light**" in club.card().text


async def test_a_match_with_somebody_who_left_can_be_ended(club: Club) -> None:
    match = await club.match()
    club.guild.remove_member(club.bob)
    await club.env.settle()
    await club.move(club.alice, "e5")
    await resign(club, match)
    result = (await club.newest_match()).result
    assert result is not None
    assert result.ending is Ending.RESIGNATION


async def test_a_bot_that_was_removed_and_comes_back_shows_what_happened_since(club: Club) -> None:
    match: Match = await club.match()
    club.forbid("view_channel")
    await play_turn(club.app.matches, match.id, club.alice.id, "e5", to_show=True)
    await club.restart()
    club.allow_all()
    guild = club.app.client.get_guild(club.guild.id)
    assert guild is not None
    await club.app.client.on_guild_join(guild)
    await asyncio.gather(*club.app.backlog.stop())
    assert "Alice opened with `e5`" in club.card().text


async def test_a_server_that_removed_the_bot_while_it_was_down_is_noticed_once_at_the_start(club: Club) -> None:
    match = await club.match(clock="3 days")
    club.env.backend.remove_guild(club.guild.id)
    await club.env.settle()
    await club.app.welcome.note_return(club.guild.id)
    # Where the bot is not, or is no more, people play who have installed it for themselves.
    for greeted, leaves in ((False, False), (True, True), (True, False)):
        async with club.app.storage.transaction() as tx:
            await tx.deliveries.place(match.id, club.channel.id)
            if greeted:
                await tx.key_values.add(f"welcome-{club.guild.id}", "greeted")
        await club.restart()
        assert (await club.app.matches.match(match.id)).waiting is leaves


async def test_a_match_keeps_its_place_in_an_outage_of_its_server(club: Club) -> None:
    await club.match(clock="3 days")
    club.env.backend.emit("GUILD_DELETE", {"id": str(club.guild.id), "unavailable": True})
    await club.env.settle()
    club.refuse("POST", status=404, times=99)
    await play_turn(club.app.matches, 1, club.alice.id, "e5", to_show=True)
    with pytest.raises(NotShownError):
        await club.app.match_presenter.show_match(1)
    assert not (await club.app.matches.match(1)).waiting
    assert told(club, club.bob) == []


async def test_a_server_that_removed_the_bot_is_left_in_peace(club: Club) -> None:
    match = await club.match(clock="3 days")
    await club.challenge(club.alice, club.carol)
    await play_turn(club.app.matches, match.id, club.alice.id, "e5", to_show=True)
    club.env.backend.remove_guild(club.guild.id)
    await club.env.settle()
    match = await club.app.matches.match(match.id)
    assert match.waiting
    assert match.clock is not None
    assert match.clock.since is None
    requests = len(club.env.http_requests)
    await club.app.backlog.catch_up()
    await club.env.advance_time(25 * 60 * 60)
    await club.app.timers.schedule()
    await club.env.settle()
    assert club.env.http_requests[requests:] == []
    await club.restart()
    assert club.requests("POST", ".*", requests) == []


# Allowed channels and roles


async def test_a_server_that_plays_only_in_threads_refuses_challenges_elsewhere(
    club: Club, elsewhere: ChannelHandle
) -> None:
    await club.match()
    await club.match(club.alice, club.carol)
    await club.app.settings.change_server_settings(club.guild.id, channel_ids=frozenset({club.channel.id}))
    answer = await club.slash(club.bob, "challenge", where=elsewhere, game="dalen")
    assert f"plays in other channels: <#{club.channel.id}>" in answer.private
    (thread,) = club.threads()
    await club.challenge(club.bob, club.carol, where=thread)


async def test_who_may_challenge_is_a_matter_of_a_role(club: Club) -> None:
    role = club.guild.create_role("Players")
    await club.app.settings.change_server_settings(club.guild.id, challenger_role_id=role.id)
    answer = await club.slash(club.alice, "challenge", game="dalen")
    assert "you need the role" in answer.private
    answer = await club.slash(club.alice, "challenge", game="dalen", level=1)
    assert "you need the role" in answer.private
    club.env.backend.add_member_role(club.guild.id, club.alice.id, role.id)
    await club.env.settle()
    await club.challenge(club.alice, club.bob)
    assert (await club.press(club.bob, "Accept")).nothing
    answer = await club.slash(club.alice, "challenge", game="hedu", level=1)
    (thread,) = club.threads()
    assert f"Match #2 is played in <#{thread.id}>" in answer.private
