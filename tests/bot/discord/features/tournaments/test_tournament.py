"""``/tournament`` and the buttons of its cards."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest

from bot.discord.features.tournaments.tournament_form import DEFAULT_CONTROL
from bot.discord.posting.cards.tournament import ChooseEntrant
from bot.discord.ui.messages import Message
from bot.domain.deliveries import CardKey, PostedMessage
from bot.domain.players import Player
from bot.domain.timers import TimerKind
from bot.runtime.metrics import TIMERS_HANDLED
from bot.services.matches import Matches, MatchView
from render.geometry import WIDTH
from tests.support.discord.actions import advance_tournaments, open_tournament, start_tournament
from tests.support.discord.club import Club, Seen
from tests.support.services.stored import running_matches


async def opened(club: Club, **terms: Any) -> None:
    await open_tournament(club, club.bob, club.carol, name="Autumn *Cup*", **terms)


async def finish_all(club: Club) -> int:
    """Let the first player of each running match win, and return the number of matches."""
    running = await running_matches(club.app.storage)
    for match in running:
        await club.app.matches.resign(match.id, match.second.id)
        await club.show(match.id)
    await advance_tournaments(club)
    return len(running)


def finals(club: Club) -> list[Seen]:
    """The cards with the final table."""
    ends = "wins the tournament!", "share first place"
    return [card for card in club.cards() if card.pictures and any(end in card.text for end in ends)]


async def test_a_tournament_is_opened_joined_and_started(club: Club) -> None:
    card = await club.open(club.alice, "tournament", "Open a tournament")
    await club.choose(club.alice, "Size 5 · small", on=card)
    await club.fill(club.alice, await club.press(club.alice, "Name it and open it", card), name="Autumn *Cup*")
    for who in (club.bob, club.carol):
        assert (await club.press(who, "Join")).nothing
    club.card().says("Autumn \\*Cup\\*", "**3 players:** Alice, Bob, Carol")
    assert club.card().labels == ("Join", "Leave", "Start")
    assert "You have already joined" in (await club.press(club.bob, "Join")).private
    bobs = await club.open(club.bob, "tournament")
    assert club.seen(bobs).labels == ("Leave", "Open a tournament")
    assert "**2 players:** Alice, Carol" in (await club.change(club.bob, "Leave", on=bobs)).text
    assert "**2 players:** Alice, Carol" in club.card().text
    assert "**3 players:** Alice, Carol, Bob" in (await club.change(club.bob, "Join", on=bobs)).text
    assert "**3 players:** Alice, Carol, Bob" in club.card().text
    assert "Only Alice" in (await club.press(club.bob, "Start")).private
    screen = club.screen()
    assert (await club.press(club.alice, "Start")).nothing
    await club.restart()
    await club.env.advance_time(5)
    (first, *_) = club.cards()
    assert "0 of 3 matches played" in first.text
    found = await club.app.tournaments.get(1)
    pairs = [f"{found.player(each.first_id).name} vs {found.player(each.second_id).name}" for each in found.pairings]
    assert f"**Playing now** {' · '.join(pairs)}" in first.text
    assert "Up next" not in first.text
    assert "1." not in first.text, "there are no standings yet"
    assert first.labels == ()
    assert "has already started" in (await club.press_late(club.alice, "Start", screen)).private
    running = await running_matches(club.app.storage)
    assert len(running) == 3, "a crash loses none"
    assert not any(match.waiting for match in running), "in the channel and in threads"
    assert "🏟️ Autumn \\*Cup\\* · Match #" in club.boards()[-1].text
    standings = (await club.slash(club.carol, "tournament")).card
    assert "0 of 3 matches played" in standings.text
    assert standings.pictures


async def test_one_command_leads_to_all_tournaments_of_the_server(club: Club) -> None:
    nothing = await club.open(club.bob, "tournament")
    assert "No tournament on this server yet." in club.seen(nothing).text
    assert club.seen(nothing).labels == ("Open a tournament",)
    await open_tournament(club, name="Over")
    await club.app.tournaments.cancel(1, club.alice.id)
    for name in ("First", "Second"):
        await open_tournament(club, name=name)
    await club.app.tournaments.join(2, club.player(club.bob))
    assert "🏟️ Second" in (await club.slash(club.carol, "tournament")).private, "the newest"
    card = await club.open(club.bob, "tournament")
    assert "🏟️ First" in club.seen(card).text, "the one in which he plays"
    (menu,) = club.seen(card).menus.values()
    labels = [f"#{number} {name} · Dalen" for number, name in ((3, "Second"), (2, "First"), (1, "Over"))]
    assert list(menu.values()) == labels
    await club.restart()
    await club.choose(club.bob, "#3 Second · Dalen", on=card)
    assert "**2 players:** Alice, Bob" in (await club.change(club.bob, "Join", on=card)).text


async def test_a_result_loads_only_its_match_and_the_next_one(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    await open_tournament(club, club.bob, club.carol, club.join("Dan"), at_once=4)
    await start_tournament(club)
    running, loaded, view = await running_matches(club.app.storage), list[int](), Matches.view

    async def note(self: Matches, key: CardKey) -> MatchView:
        loaded.append(key.match_id)
        return await view(self, key)

    monkeypatch.setattr(Matches, "view", note)
    await club.app.matches.resign(running[0].id, running[0].first.id)
    await advance_tournaments(club)
    assert len(running) > 2
    started = {match.id for match in await running_matches(club.app.storage)} - {match.id for match in running}
    assert set(loaded) == {running[0].id} | started


async def test_the_card_lists_the_pairings_and_the_cross_table_is_posted_once(club: Club) -> None:
    await opened(club, at_once=1)
    await start_tournament(club)
    for over in range(3):
        found = await club.app.tournaments.get(1)
        text, left = club.cards()[0].text, [each for each in found.pairings if each.result is None]
        assert f"{over} of 3 matches played" in text
        playing, _, queued = text.partition("**Playing now**")[2].partition("**Up next**")
        assert playing.count(" vs ") == 1
        assert queued.count(" vs ") == len(left) - 1
        assert ("`" in text) == bool(over), "standings follow the first result"
        assert await finish_all(club) == 1
    (final,) = finals(club)
    assert "Sonneborn-Berger" in final.text
    assert "matches played" not in final.text
    assert "`" not in final.text, "the picture has the standings"
    (described,) = final.descriptions
    rows = re.findall(r"[1-3]\. (?:Alice|Bob|Carol): [012] \([0-9½¼¾]+\), ([x01 ]+)", described)
    assert [row.split().index("x") for row in rows] == [0, 1, 2], described
    await club.restart()
    await club.env.advance_time(60)
    assert [card.id for card in finals(club)] == [final.id]
    assert club.picture(final).width == WIDTH


async def test_a_result_voided_after_the_end_changes_the_table_and_the_winner(club: Club) -> None:
    await opened(club)
    await start_tournament(club)
    found = await club.app.tournaments.get(1)
    games = {frozenset((each.first_id, each.second_id)): each.match_id for each in found.pairings}
    for winner, loser in ((club.alice, club.bob), (club.alice, club.carol), (club.bob, club.carol)):
        match_id = games[frozenset((winner.id, loser.id))]
        assert match_id is not None
        await club.app.matches.resign(match_id, loser.id)
    await advance_tournaments(club)
    assert "Alice** wins the tournament" in club.card().text
    moderator = club.join_as_moderator("Mo")
    for loser in (club.bob, club.carol):
        number = str(games[frozenset((club.alice.id, loser.id))])
        await club.open(moderator, "board", "Void result", "Void the result", match=number)
        await club.env.advance_time(10)
    corrected = club.card()
    assert "Bob** wins the tournament" in corrected.text
    assert corrected.pictures
    assert not [card for card in club.cards() if "Alice** wins" in card.text], "nothing shows the old result"


async def test_each_change_of_a_tournament_edits_its_card_once(club: Club) -> None:
    await open_tournament(club, control=DEFAULT_CONTROL)
    club.card().says("Alice's tournament", "3 days + 1 day")
    await club.env.advance_time(5)
    for edits in (1, 0):  # the second time, Bob has already joined
        before = len(club.env.http_requests)
        await club.press(club.bob, "Join")
        await club.env.advance_time(5)
        assert len(club.requests("PATCH", r".+/messages/(\d+|@original)", before)) == edits
    club.env.backend.delete_message(club.channel.id, club.card().id)  # the card is posted again
    await club.app.tournaments.withdraw_everywhere(club.alice.id)
    await club.app.privacy.delete(club.alice.id)
    await club.app.tournament_presenter.show(1)
    assert "Bob's tournament" in club.card().text
    assert "Alice" not in club.card().text
    assert "Bob starts the tournament" in club.card().text


async def test_a_slow_message_does_not_hold_up_other_tournaments(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("First", "Second"):
        await open_tournament(club, name=name)
    going, edit = asyncio.Event(), club.app.sender.edit
    async with club.app.storage.read() as tx:
        first = (await tx.deliveries.tournament(1)).message

    async def slow_edit(card: PostedMessage, post: Message, **how: Any) -> bool:
        if first is not None and card.message_id == first.message_id:
            await going.wait()
        return await edit(card, post, **how)

    monkeypatch.setattr(club.app.sender, "edit", slow_edit)
    for number in (1, 2):
        await club.app.tournaments.join(number, Player(club.bob.id, "Bob"))
    slow = asyncio.create_task(club.app.tournament_presenter.show(1))
    await asyncio.wait_for(club.app.tournament_presenter.show(2), timeout=30)
    assert "**2 players:** Alice, Bob" in club.card().text
    going.set()
    await slow


async def test_withdrawing_from_a_running_tournament_needs_a_confirmation(club: Club) -> None:
    await opened(club)
    await club.open(club.alice, "tournament", "Start")
    await club.env.advance_time(5)
    question = await club.open(club.bob, "tournament", "Withdraw…")
    assert "Withdraw from **Autumn \\*Cup\\***?" in club.seen(question).text
    assert "0 of 3 matches played" in (await club.change(club.bob, "Stay", question)).text
    await club.press_all(club.bob, "Withdraw…", "Yes, withdraw", on=question)
    assert "Withdraw…" not in club.seen(question).labels
    await club.env.advance_time(10)
    card = club.cards()[0].text
    assert "0 of 1 matches played" in card
    assert card.index("`") < card.index("~~Bob~~ withdrew\n"), "after those who have a place"
    running = await running_matches(club.app.storage)
    assert [{match.first.name, match.second.name} for match in running] == [{"Alice", "Carol"}]


async def test_the_card_of_a_cancelled_tournament_says_so(club: Club) -> None:
    await opened(club)
    assert "Call it off…" not in (await club.slash(club.bob, "tournament")).messages[0].labels
    question = await club.open(club.alice, "tournament", "Call it off…")
    assert "Call **Autumn \\*Cup\\*** off?" in club.seen(question).text
    assert "3 players" in (await club.change(club.alice, "Keep it", question)).text
    await club.press_all(club.alice, "Call it off…", "Yes, call it off", on=question)
    assert club.seen(question).labels == ("Open a tournament",)
    assert "called off" in club.card().text
    assert club.card().labels == ()


async def test_only_tournaments_in_visible_channels_are_offered_and_joined(club: Club) -> None:
    secret = club.guild.create_text_channel("secret")
    await open_tournament(club, where=secret, name="Secret Cup")
    bobs = await club.open(club.bob, "tournament")
    assert "Secret Cup" in club.seen(bobs).text
    club.hide_from(club.bob, secret)
    assert "There is no such tournament here" in (await club.press(club.bob, "Join", on=bobs)).private
    assert "No tournament" in (await club.slash(club.bob, "tournament")).private
    await club.open(club.carol, "tournament", "Join")
    club.hide_from(club.carol, secret)
    await club.open(club.carol, "tournament", "Leave")  # players can always leave
    assert [each.player.name for each in (await club.app.tournaments.get(1)).entrants] == ["Alice"]


async def test_organisers_and_moderators_remove_players_and_confirm_it(club: Club) -> None:
    dan = club.join("Dan")
    await open_tournament(club, club.bob, club.carol, dan, name="Autumn *Cup*")
    assert club.seen(await club.open(club.bob, "tournament")).menus == {}
    card = await club.open(club.alice, "tournament")
    await club.choose(club.alice, "Dan", on=card)
    assert "**3 players:** Alice, Bob, Carol" in club.seen(card).text
    assert "**3 players:** Alice, Bob, Carol" in club.card().text
    gone = await club.forge(club.alice, ChooseEntrant(1, 0, dan.id), on=card)
    assert "That player is not in this" in gone.private
    await club.press(club.alice, "Start", on=card)
    await club.env.advance_time(5)
    assert "against them yourself, so you cannot remove them" in (await club.choose(club.alice, "Bob", on=card)).private
    moderator = club.join_as_moderator("Mo")
    question = await club.open(moderator, "tournament")
    await club.choose(moderator, "Bob", on=question)
    assert "Remove **Bob** from **Autumn \\*Cup\\***?" in club.seen(question).text
    await club.press(moderator, "Keep them", question)
    assert "~~Bob~~" not in club.cards()[0].text
    await club.choose(moderator, "Bob", on=question)
    await club.press(moderator, "Yes, remove them", question)
    await club.env.advance_time(10)
    assert "~~Bob~~ withdrew" in club.cards()[0].text
    running = await running_matches(club.app.storage)
    assert [{match.first.name, match.second.name} for match in running] == [{"Alice", "Carol"}]
    ended = [card for where in (club.channel, *club.threads()) for card in club.cards(where) if "Mo ended" in card.text]
    assert len(ended) == 2, "both boards say so"


async def test_a_tournament_on_a_server_that_removed_the_bot_is_left_alone(club: Club) -> None:
    await opened(club)
    await start_tournament(club)
    club.env.backend.remove_guild(club.guild.id)
    await club.env.advance_time(60)
    handled = TIMERS_HANDLED.labels(TimerKind.TOURNAMENT)._value.get
    before = handled()
    await club.env.advance_time(60 * 60)
    assert handled() == before
