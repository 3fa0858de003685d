"""Matches whose channel, thread, message, player or permission is gone, and matches that move. None is stuck."""

from __future__ import annotations

import asyncio

import pytest
from simcord import ChannelHandle, MemberActor

from bot.discord.transport.sender import NotShownError
from bot.domain.clocks import DAY
from bot.domain.deliveries import CardKey
from bot.domain.matches import Match, ProposalKind
from bot.domain.preferences import BoardCards, PlayIn
from tests.support.discord.actions import resign
from tests.support.discord.club import Club
from tests.support.services.matches import play_turn

THREADS = ("create_public_threads",)


@pytest.fixture
def elsewhere(club: Club) -> ChannelHandle:
    return club.guild.create_text_channel("elsewhere")


async def want_threads(club: Club) -> None:
    await club.app.settings.change_server_settings(club.guild.id, play_in=PlayIn.THREAD)


async def delete(club: Club, where: ChannelHandle) -> None:
    club.env.backend.delete_channel(where.id)
    await club.env.settle()


# Threads


async def test_a_server_that_wants_threads_gets_one_for_every_match(club: Club) -> None:
    await want_threads(club)
    match = await club.accepted_challenge(club.alice, club.bob, size=5, first="challenger")
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
    # Discord takes no changes in a closed thread, so it is opened for the edit that shows a voided result.
    await club.open(club.join_as_moderator("Mo"), "board", "Void result", "Void the result", match="1")
    assert "Mo voided this result" in club.card(thread).text
    assert club.is_archived(thread)


async def running_in_thread(club: Club) -> tuple[Match, ChannelHandle]:
    """A match in a thread, with a living card, a ping and a person's message below it."""
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


async def test_a_thread_is_tidied_and_closed_at_the_end_and_opened_for_a_rematch(club: Club) -> None:
    match, thread = await running_in_thread(club)
    await resign(club, match)
    assert "resigned" in club.card(thread).text
    assert is_tidy(club, thread)
    await club.press(club.alice, "Rematch", on=club.last_card(thread))
    club.set_thread(thread, archived=True)
    # Nobody can press a button in a closed thread, but the page has one, too.
    proposal = await club.app.proposals.accept(1, club.bob.id, shown_by_caller=True)
    await club.app.match_presenter.show_proposal(proposal.id)
    assert not {"Rematch", "Accept"} & {label for card in club.cards(thread) for label in card.labels}
    ended = await club.app.matches.match(match.id)
    await club.app.match_presenter.channels.close_thread(ended, await club.delivery(ended.id))
    assert not club.is_archived(thread), "the rematch is played there"


async def test_the_channel_is_used_if_threads_are_wanted_but_not_allowed(club: Club) -> None:
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
    await club.accepted_challenge(club.alice, club.carol, thread)
    assert (await club.delivery()).channel_id == thread.id
    assert len(club.threads()) == 1


async def test_a_match_whose_home_is_locked_waits_for_a_moderator(club: Club) -> None:
    thread = await club.open_thread(club.carol)
    await club.accepted_challenge(club.alice, club.bob, thread, size=5, first="challenger")
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


async def test_matches_in_a_busy_forum_post_or_announcement_channel_get_posts_or_threads(club: Club) -> None:
    news, forum = club.guild.create_news_channel("news"), club.guild.create_forum_channel("forum")
    backend = club.env.backend
    starter = backend.prepare_message(forum.id, backend.bot_user.id, "Games go here")
    post, _ = backend.create_forum_post(forum.id, "Games", starter)
    await club.env.settle()
    where = next(each for each in forum.threads if each.id == post.id)
    for opponent in (club.bob, club.carol):
        await club.accepted_challenge(club.alice, opponent, where)
    assert len(forum.threads) == 2
    assert {(await club.delivery(n)).channel_id for n in (1, 2)} == {each.id for each in forum.threads}
    for opponent in (club.bob, club.carol):
        await club.accepted_challenge(club.alice, opponent, news)
    assert len(news.threads) == 1


# Channels that are gone


async def test_a_match_without_its_channel_continues_elsewhere(club: Club, elsewhere: ChannelHandle) -> None:
    await club.match(turns=["e5"])
    await delete(club, club.channel)
    # Both players read that the match waits, and how to go on.
    for who, opponent in ((club.alice, "Bob"), (club.bob, "Alice")):
        (said,) = [message.text for message in club.direct_messages(who)]
        assert f"channel of match #1 against {opponent}, so the match waits" in said
    answer = await club.slash(club.bob, "move", where=elsewhere, turn="light", match="1")
    assert "is waiting for a place: its channel is gone" in answer.private
    assert "/board" in answer.private
    # Strangers cannot move it, and players cannot move it to a channel where the server does not play.
    await club.slash(club.carol, "board", where=elsewhere, match="1")
    assert (await club.delivery()).channel_id is None
    change = club.app.settings.change_server_settings
    await change(club.guild.id, channel_ids=frozenset({club.channel.id}))
    assert "plays in other channels" in (await club.slash(club.alice, "board", where=elsewhere)).private
    await change(club.guild.id, channel_ids=frozenset())
    await club.restart()
    assert [len(club.direct_messages(who)) for who in (club.alice, club.bob)] == [1, 1]
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
    # Another thread shows the match, and Bob has the time of a whole turn again.
    (new,) = club.threads()
    assert club.card(new).pinged == (club.bob.id,)
    clock = (await club.app.matches.match(match.id)).clock
    assert clock is not None
    assert clock.flag_at is not None
    assert clock.flag_at > club.env.now() + 2 * DAY
    # In a channel that the bot may no longer view, the match waits.
    club.forbid("view_channel")
    await club.env.advance_time(4 * DAY.total_seconds())
    assert (await club.app.matches.match(match.id)).waiting
    assert len(club.direct_messages(club.bob)) == 1
    club.allow_all()
    await club.env.settle()
    assert "Alice opened with `e5`" in club.card(club.threads()[-1]).text
    back = await club.app.matches.match(match.id)
    assert not back.waiting
    assert back.clock is not None
    assert back.clock.time_left_at(1, club.env.now()) > 2 * DAY


async def test_a_match_in_a_thread_beside_its_deleted_home_continues_there(club: Club) -> None:
    home = await club.open_thread(club.carol)
    for opponent in (club.carol, club.bob):
        await club.accepted_challenge(club.alice, opponent, home, size=5, first="challenger")
    beside = (await club.delivery()).channel_id
    await delete(club, home)
    assert (await club.app.matches.match(1)).waiting
    assert (await club.delivery()).channel_id == beside
    assert club.direct_messages(club.bob) == []


# Moving by consent


async def ask(club: Club, who: MemberActor, where: ChannelHandle, match: int = 1) -> None:
    answer = await club.slash(who, "board", where=where, match=str(match))
    assert "Play on here" in club.seen(answer.private_handle).labels
    await club.press(who, "Play on here", on=answer.private_handle)


async def test_a_match_moves_when_the_opponent_agrees(club: Club, elsewhere: ChannelHandle) -> None:
    await club.accepted_challenge(club.alice, club.bob, size=5, first="challenger")
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


async def test_a_waiting_match_gets_the_channel_that_another_has_left(club: Club, elsewhere: ChannelHandle) -> None:
    club.forbid(*THREADS)
    await club.match()
    waiting = await club.match(club.alice, club.carol)
    await ask(club, club.alice, elsewhere)
    await ask(club, club.bob, elsewhere)
    assert (await club.delivery(waiting.id)).channel_id == club.channel.id
    assert "Alice vs Carol" in club.card().text
    assert "Alice vs Bob" in club.card(elsewhere).text
    assert len(club.boards(elsewhere)) == 1


async def test_a_match_moves_out_of_a_channel_where_the_bot_may_not_post(club: Club, elsewhere: ChannelHandle) -> None:
    await club.match(turns=["e5"])
    club.forbid("send_messages")
    answer = await club.slash(club.alice, "board", where=elsewhere)
    assert "I may not post in" in answer.private
    await club.press(club.alice, "Play on here", on=answer.private_handle)
    assert club.card(elsewhere).pinged == (club.bob.id,)
    await club.press(club.bob, "Accept", on=club.last_message(elsewhere))
    assert (await club.delivery()).channel_id == elsewhere.id


# Messages, members and servers that are gone


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
    # Where the bot is not a member, people play who have installed it for themselves.
    for greeted, leaves in ((False, False), (True, True), (True, False)):
        async with club.app.storage.transaction() as tx:
            await tx.deliveries.assign_channel(CardKey(match.id), club.channel.id)
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
    assert club.direct_messages(club.bob) == []


async def test_a_server_that_removed_the_bot_gets_no_requests(club: Club) -> None:
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


async def test_a_server_can_require_a_channel_and_a_role_for_challenges(club: Club, elsewhere: ChannelHandle) -> None:
    await club.match()
    await club.match(club.alice, club.carol)
    await club.app.settings.change_server_settings(club.guild.id, channel_ids=frozenset({club.channel.id}))
    answer = await club.slash(club.bob, "challenge", where=elsewhere, game="dalen")
    assert f"plays in other channels: <#{club.channel.id}>" in answer.private
    (thread,) = club.threads()
    await club.challenge(club.bob, club.carol, where=thread)
    role = club.guild.create_role("Players")
    await club.app.settings.change_server_settings(club.guild.id, challenger_role_id=role.id)
    assert "you need the role" in (await club.slash(club.alice, "challenge", game="dalen")).private
    club.env.backend.add_member_role(club.guild.id, club.alice.id, role.id)
    await club.env.settle()
    await club.challenge(club.alice, club.bob)
    assert (await club.press(club.bob, "Accept")).nothing
