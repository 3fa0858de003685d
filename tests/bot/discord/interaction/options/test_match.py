"""Suggestions for the option ``match``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import event

from bot.discord.interaction.options.match import match_label
from bot.domain.matches import MatchScope
from bot.domain.places import Place, Viewer
from bot.domain.players import Player
from tests.support.discord.club import Club
from tests.support.services.house import House
from tests.support.services.matches import ALICE, BOB, CAROL, PLACE, play_turn, start
from tests.support.services.stored import place_match


@contextmanager
def rows_read(app: Any) -> Iterator[list[int]]:
    """Count the rows that each statement reads."""
    counts: list[int] = []

    def count(_connection: Any, cursor: Any, *_: object) -> None:
        counts.append(len(cursor._rows))  # the driver has fetched them all by now

    engine = app.database.engine.sync_engine
    event.listen(engine, "after_cursor_execute", count)
    yield counts
    event.remove(engine, "after_cursor_execute", count)


async def test_few_rows_are_read_however_many_matches_are_running(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    room = club.guild.create_text_channel("big")
    await club.env.settle()
    matches = club.app.matches
    for number in range(60):
        one, other = Player(10_000 + number, f"Anna {number}"), Player(20_000 + number, "Ben")
        match = await start(matches, one, other, Place(club.guild.id, room.id if number % 3 else 77))
        if number % 2:
            await place_match(club.app.storage, match.id, 10**6 + number)
            await play_turn(matches, match.id, one.id, "e5", to_show=True)
    for command in ("board", "replay", "resign", "move"):
        for typed, least in (("", 25), ("anna", 25), ("anna 4", 7), ("nobody", 0)):
            with rows_read(club.app) as counts:
                offers = await club.offers(club.carol, typed, command=command, option="match")
            if command in ("board", "replay"):
                assert len(offers) >= least
            else:
                assert offers == []
            shown, searched = len(offers), 25 if typed == "" else 40
            assert shown <= sum(counts) <= 3 * searched, "each match with two players"
    monkeypatch.setattr("bot.services.matches._MOST_LABELS", 10)
    for typed, found in (("anna", 10), ("#60", 1), ("60", 1)):
        with rows_read(club.app) as counts:
            assert len(await club.offers(club.carol, typed, command="board", option="match")) == found
        assert sum(counts) <= 30


async def choices(house: House, viewer: Viewer, typed: str, scope: MatchScope = MatchScope.RUNNING) -> list[int]:
    found = await house.matches.choices(
        viewer, typed, scope, lambda match: match_label(match, viewer.player_id, scope), most=25
    )
    return [*found]


async def test_typed_text_is_found_anywhere_in_the_label(house: House) -> None:
    anna = Player(201, "Änne 100%_")
    mine = await house.start(ALICE, BOB)
    theirs = await house.start(anna, CAROL, Place(1, 11))
    viewer = Viewer(ALICE.id, PLACE, channels=[10, 11])
    label = f"#{theirs.id} Dalen · Änne 100%_ vs Carol · Änne 100%_'s turn"
    for typed in (label, label.upper(), "ÄNNE", "änne", "100%_", f"#{theirs.id} ", "vs carol", "carol · änne"):
        assert await choices(house, viewer, typed) == [theirs.id], typed
    for typed in ("%n", "_lice", "ol · al", "hedu", "\\", "'"):
        expected = [theirs.id] if typed == "'" else []
        assert await choices(house, viewer, typed) == expected, typed
    assert await choices(house, viewer, "", scope=MatchScope.OWN) == [mine.id]
    assert await choices(house, Viewer(CAROL.id, Place(1, 10)), "", scope=MatchScope.OWN) == [theirs.id]
    assert await choices(house, Viewer(BOB.id, Place(1, 10)), "") == [mine.id]


async def test_suggested_matches_are_the_users_then_running_then_finished_ones(house: House) -> None:
    async def over(one: Player, other: Player, place: Place) -> int:
        house.now += timedelta(days=1)
        match = await house.start(one, other, place)
        await house.resign(match, one)
        return match.id

    here = Place(1, 10)
    old, new = await over(BOB, CAROL, here), await over(BOB, CAROL, here)
    mine_over = await over(ALICE, CAROL, Place(2, 20))
    await over(BOB, CAROL, Place(2, 20))
    await over(BOB, CAROL, Place(1, 66))
    running = (await house.start(BOB, CAROL, here)).id
    mine = (await house.start(ALICE, BOB, Place(None, 30))).id
    viewer = Viewer(ALICE.id, here, channels=[10])
    assert await choices(house, viewer, "", MatchScope.ALL) == [mine, mine_over, running, new, old]
    assert await choices(house, viewer, "running", MatchScope.ALL) == [mine, running]
    assert await choices(house, viewer, "2026-01-02", MatchScope.ALL) == [old]
    assert (await choices(house, viewer, f"#{new}", MatchScope.ALL))[0] == new
