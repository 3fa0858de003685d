"""Cups: the form of a new tournament, the cards, the editions and the hard end of a match."""

from __future__ import annotations

from datetime import timedelta

from simcord import MemberActor

from bot.discord.features.tournaments.tournament_form import DEFAULT_CONTROL
from bot.domain.clocks import DAY
from bot.domain.competitions.cups import WEEK, Cup
from bot.domain.competitions.tournaments import TournamentState
from tests.support.discord.actions import advance_tournaments, open_tournament, start_tournament
from tests.support.discord.club import Club
from tests.support.services.stored import running_matches


async def open_by_form(club: Club, who: MemberActor, name: str, *chosen: str) -> str:
    """Open the form, choose in its menus, name the tournament, and return what the form says then."""
    panel = await club.open(who, "tournament", "Open a tournament")
    for label in chosen:
        await club.choose(who, label, on=panel)
    asked = await club.press(who, "Name it and open it", panel)
    assert asked.form
    await club.fill(who, asked, name=name)
    return club.seen(panel).text


async def cup(club: Club, *people: MemberActor, full: int | None = 5, weeks: int = 3, again: bool = False) -> None:
    """Open a cup for Alice and these people. It starts when ``full`` people have entered, or when Alice starts it."""
    await open_tournament(club, *people, name="Cup", control=DEFAULT_CONTROL, cup=Cup(full, weeks, again))


async def test_the_form_asks_for_everything_and_opens_a_cup(club: Club) -> None:
    chosen = (
        "Cup",
        "Game: Hedu",
        "Start: as soon as 4 have joined",
        "Hard end: 2 weeks after a match began",
        "When it starts, the next edition opens",
        "3 matches per player at a time",
    )
    assert "The tournament is in the channel" in await open_by_form(club, club.alice, "Winter *Cup*", *chosen)
    club.card().says(
        *("Winter \\*Cup\\*", "**1 player:** Alice", "as soon as 4 have joined", "if there are at least 3"),
        "Every match ends within 2 weeks",
        *("the next edition opens", "Hedu", "3 days + 1 day", "3 matches per player at a time"),
    )
    assert club.card().labels == ("Join", "Leave")


async def test_the_form_opens_a_round_robin_too_but_no_cup_without_a_clock(club: Club) -> None:
    await open_by_form(club, club.alice, "", "Clock: none", "1 match per player at a time")
    club.card().says("Alice's tournament", "Alice starts the tournament", "1 match per player at a time")
    assert (await club.app.tournaments.get(1)).control is None
    assert club.card().labels == ("Join", "Leave", "Start")
    panel = await club.open(club.alice, "tournament", "Open a tournament")
    for label in ("Clock: none", "Cup"):
        await club.choose(club.alice, label, on=panel)
    labels = [label for menu in club.seen(panel).menus.values() for label in menu.values()]
    assert "Clock: 3 days + 1 day a turn" in labels
    assert "Clock: none" not in labels


async def test_a_cup_starts_with_its_last_entrant_and_opens_the_next_edition(club: Club) -> None:
    dan, eve = club.join("Dan"), club.join("Eve")
    await cup(club, club.bob, club.carol, full=4, again=True)
    last, late = await club.press_together((dan, "Join", club.screen()), (eve, "Join", club.screen()))
    assert {last.nothing, late.nothing} == {True, False}
    assert "You can still join the next one" in (late if last.nothing else last).private
    await club.env.advance_time(10)
    first, second = club.cards()[0], next(card for card in club.cards() if "Cup 2" in card.text)
    assert "0 of 6 matches played" in first.text
    assert first.labels == ("Join edition 2",)
    assert "The next edition is open" in first.text
    assert "Nobody has joined yet" in second.text
    assert second.labels == ("Join", "Leave")
    handles = {card.id: next(each for each in club.messages() if each.id == card.id) for card in (first, second)}
    assert (await club.press(eve, "Join edition 2", on=handles[first.id])).nothing
    assert (await club.press(club.bob, "Join", on=handles[second.id])).nothing
    for who in (club.carol, dan):
        assert (await club.press(who, "Join", on=handles[second.id])).nothing
    await club.restart()
    await club.env.advance_time(10)
    states = [(each.edition, each.state) for each in [await club.app.tournaments.get(n) for n in (1, 2, 3)]]
    assert states == [(1, TournamentState.RUNNING), (2, TournamentState.RUNNING), (3, TournamentState.OPEN)]
    cards = {card.id: card for card in club.cards()}
    assert cards[first.id].labels == (), "it no longer offers the edition that has started"
    assert cards[second.id].labels == ("Join edition 3",)
    assert any("🏟️ Cup 2 · Match #" in card.text for where in club.threads() for card in club.cards(where))


async def test_the_command_shows_the_edition_that_is_played_and_joins_the_next(club: Club) -> None:
    dan, eve = club.join("Dan"), club.join("Eve")
    await cup(club, club.bob, club.carol, dan, full=4, again=True)
    await advance_tournaments(club)
    for who in (club.bob, eve):
        card = await club.open(who, "tournament")
        assert "0 of 6 matches played" in club.seen(card).text
        await club.press(who, "Join edition 2", on=card)
        assert "🏟️ Cup 2" in club.seen(card).text
        await club.press(who, "Leave", on=card)
        assert "Nobody has joined yet." in club.seen(card).text
    withdrawing = await club.open(club.bob, "tournament", "Withdraw…")
    assert "Withdraw from **Cup**?" in club.seen(withdrawing).text
    menus = club.seen(await club.open(club.alice, "tournament")).menus.values()
    assert {"Bob", "Carol", "Dan"} in [set(menu.values()) for menu in menus]


async def test_a_cup_is_called_off_without_a_ping_if_too_few_have_joined(club: Club) -> None:
    await cup(club, club.bob)
    posts = len(club.env.http_requests)
    await club.env.advance_time(WEEK.total_seconds() + 60)
    assert "it needs at least 3 players, and 2 had joined" in club.card().text
    assert club.card().labels == ()
    assert club.posts(posts) == []


async def test_the_winners_of_the_groups_meet_and_one_of_them_wins(club: Club) -> None:
    people = [club.join(f"P{number}") for number in range(5)]
    await cup(club, club.bob, *people, full=None)
    await start_tournament(club)
    card = club.cards()[0]
    assert "0 of 9 matches played" in card.text
    groups = [line for line in card.text.splitlines() if line.startswith("**Group ")]
    assert [line.count("**0**") for line in groups] == [4, 3]
    standings = await club.slash(club.alice, "tournament")
    (described,) = club.seen(standings.private_handle).descriptions
    assert "Group" in described
    assert "Alice" in described, "the table of her group"
    while "of 10 matches" not in club.cards()[0].text:
        assert "**Group 1:** " not in club.cards()[0].text
        for match in await running_matches(club.app.storage):
            await club.app.matches.resign(match.id, match.second.id)
        await advance_tournaments(club)
    (last,) = await running_matches(club.app.storage)
    await club.app.tournaments.withdraw(1, last.second.id)
    await club.restart()
    await club.env.advance_time(10)
    final = next(card for card in reversed(club.cards()) if card.pictures and "wins the tournament!" in card.text)
    (winner,) = (await club.app.tournaments.tables(1)).winners
    assert winner == last.first
    assert f"**{winner.name}** wins" in final.text
    lines = {line for line in final.text.splitlines() if line.startswith("**Group ")}
    names = [player.name for player in last.players]
    if f"**Group 1:** {names[0]}" not in lines:
        names.reverse()
    assert lines == {f"**Group {number}:** {name}" for number, name in enumerate(names, 1)}, "also who left"
    assert "Winners' group" in final.descriptions[0]


async def test_a_cup_without_its_channel_waits_and_continues_in_another(club: Club) -> None:
    dan, lounge = club.join("Dan"), club.guild.create_text_channel("lounge")
    await cup(club, club.bob, club.carol, dan, full=4, again=True)
    await advance_tournaments(club)
    club.env.backend.delete_channel(club.channel.id)
    for match in await running_matches(club.app.storage):
        await club.app.matches.resign(match.id, match.first.id)
    await advance_tournaments(club)
    begun = await running_matches(club.app.storage)
    await club.restart()
    await club.env.advance_time(6 * DAY.total_seconds())
    # Nobody loses a match that nobody has seen, and everyone reads how to go on.
    assert [match.id for match in await running_matches(club.app.storage)] == [match.id for match in begun]
    mover = club.member(begun[0].first.id)
    organiser, player = ([each.text for each in club.direct_messages(who)] for who in (club.alice, mover))
    assert len([each for each in organiser if "channel of **Cup**" in each]) == 1
    (one,) = [each for each in player if f"channel of match #{begun[0].id}" in each]
    assert "the match waits and no clock runs. Use /board" in one

    await club.slash(mover, "board", where=lounge, match=str(begun[0].id))
    await advance_tournaments(club)
    assert any("🏟️ Cup\n" in card.text for card in club.cards(lounge)), "the tournament moves with the match"
    assert {(await club.delivery(match.id)).home.channel_id for match in begun} == {lounge.id}
    for match in begun:
        now, message = await club.app.matches.match(match.id), (await club.delivery(match.id)).message
        assert message is not None
        assert now.clock is not None
        assert now.clock.time_left_at(0, club.env.now()) >= DEFAULT_CONTROL.bank - timedelta(minutes=1)
        assert now.ends_at is not None
        assert now.ends_at > club.env.now() + 20 * DAY
    assert (await club.app.tournaments.get(2)).place.channel_id == lounge.id, "and so does the next edition"


async def test_a_match_ends_at_its_announced_hard_end(club: Club) -> None:
    await cup(club, club.bob, club.carol, weeks=2)
    await start_tournament(club)
    assert "🏁 The match ends by <t:" in club.boards()[-1].text
    matches = await running_matches(club.app.storage)
    await club.stop()
    await club.env.advance_time(2 * WEEK.total_seconds() - 60)
    await club.start()
    await club.env.advance_time(120)
    assert await running_matches(club.app.storage) == []
    ended = [card.text for where in (club.channel, *club.threads()) for card in club.cards(where)]
    texts = [text for text in ended if "reached its hard end" in text and "had used more time" in text]
    assert len(texts) == len(matches)
    await club.env.advance_time(60)
    assert "wins the tournament!" in club.card().text
