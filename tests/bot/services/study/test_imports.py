"""Imported records: they are kept unchanged, belong to one person, and count for nothing."""

from __future__ import annotations

import asyncio
import json
import random

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from sqlalchemy import func, select

import rules
from bot.domain.matches import Ending, Match, MatchFilter, NotAPlayerError, UnknownMatchError
from bot.domain.places import Viewer
from bot.domain.players import IMPORTED_IDS
from bot.domain.study.imports import MOST_IMPORTS, NotImportedError, names_in, read_records, record_of, result_in
from bot.storage.tables import imports, matches, metadata, turns
from rules import Record, Ruleset
from tests.support.positions import SOME_RULESETS, ids, random_turns
from tests.support.services.house import House
from tests.support.services.matches import ALICE, BOB, DALEN, PLACE, refused

SHORT = Record(DALEN, ("e5", "light", "d4"), "*", {"Dark": "Ann", "Date": "1999.12.31"})
_SMALL = [
    ruleset for ruleset in SOME_RULESETS if ruleset.game.name in rules.GAMES and ruleset.size == ruleset.game.sizes[0]
]
_TAGS = st.dictionaries(
    st.sampled_from(["Dark", "Light", "Event", "Date", "Termination", "First", "Second", "Round"]), st.text(max_size=40)
)


async def imported(house: House, record: Record) -> Match:
    """The match that Alice's import of a record makes, or has made before."""
    (taken,), more = await house.imports.add(ALICE, str(record))
    assert not more
    assert taken.match is not None
    return taken.match


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=15, deadline=None)
@given(tags=_TAGS, count=st.integers(0, 30), kind=st.sampled_from(_SMALL), text=st.text(max_size=60))
async def test_any_record_comes_out_as_it_went_in(
    house: House, tags: dict[str, str], count: int, kind: Ruleset, text: str
) -> None:
    """Tags tell records with the same turns apart."""
    result = random.Random(count).choice(["*", "1-0", "0-1", "1/2-1/2"])
    record = Record(kind, random_turns(kind)[:count], result, tags)
    record = Record.parse(str(record)) if record.position().outcome is None else Record(kind, (), "*", tags)
    match = await imported(house, record)
    game = await house.game(match)
    assert record_of(game) == record
    assert str(record_of(game)) == str(record)
    await asyncio.to_thread(read_records, text)  # no text makes it fail
    (again,), _ = await house.imports.add(ALICE, str(record))
    assert again.before
    assert (await imported(house, record)).id == match.id


@pytest.mark.parametrize("kind", _SMALL, ids=ids)
async def test_positions_and_handicaps_are_imported(house: House, kind: Ruleset) -> None:
    continued = rules.continued(kind, random_turns(kind)[:6])
    uneven = rules.with_setup(kind, str(kind.game.handicaps(kind.variant)[-1]))
    for record in (Record(continued, random_turns(kind)[6:9]), Record(uneven, random_turns(uneven)[:3])):
        assert record_of(await house.game(await imported(house, record))) == record


@pytest.mark.parametrize(
    ("result", "termination", "ending", "winner"),
    [
        ("1-0", "resignation", Ending.RESIGNATION, IMPORTED_IDS[0]),
        ("0-1", "time", Ending.TIME, IMPORTED_IDS[1]),
        ("0-1", "agreement", Ending.RECORD, IMPORTED_IDS[1]),
        ("1/2-1/2", "agreement", Ending.AGREEMENT, None),
        ("1/2-1/2", "", Ending.RECORD, None),
        ("*", "resignation", Ending.UNFINISHED, None),
    ],
)
def test_the_end_is_what_the_record_says(result: str, termination: str, ending: Ending, winner: int | None) -> None:
    record = Record(DALEN, SHORT.turns, result, {"Termination": termination, "Dark": "Ann", "Light": "Ben"})
    found = result_in(record, record.position())
    assert (found.ending, found.winner_id) == (ending, winner)
    assert names_in(record, record.position()) == ("Ann", "Ben")


@pytest.mark.both_databases
async def test_a_record_is_in_no_list_and_no_rating(house: House) -> None:
    match = await house.start()
    record = await imported(house, SHORT)
    async with house.storage.read() as tx:
        assert await tx.searches.count(MatchFilter()) == 1, "only a search for everything, which nobody makes, finds it"
        assert await tx.searches.count(MatchFilter(player_id=ALICE.id)) == 0
        assert (await tx.privacy.conduct(ALICE.id, None)).matches == 0
        assert await tx.matches.latest(0) is None
        assert [running.id for running in await tx.matches.running(player_id=ALICE.id)] == [match.id]
        assert await tx.deliveries.waiting_matches() == []
    assert (await house.history.look_up(Viewer(ALICE.id, PLACE), record.id)).first.name == "Ann"
    await refused(UnknownMatchError, house.history.look_up(Viewer(BOB.id, PLACE), record.id))


@pytest.mark.both_databases
async def test_the_same_record_from_several_processes_is_stored_once(house: House) -> None:
    processes = (house, house.another())
    found = await asyncio.gather(*(imported(process, SHORT) for process in processes * 2))
    assert len({match.id for match in found}) == 1
    assert await house.imports.count(ALICE.id) == 1


async def test_nobody_keeps_more_records_than_there_is_room_for(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.services.study.imports.MOST_IMPORTS", 3)
    assert MOST_IMPORTS > 3
    text = "\n".join(str(Record(DALEN, SHORT.turns, "*", {"Round": str(number)})) for number in range(5))
    taken, _ = await house.imports.add(ALICE, text)
    assert [record.match is not None for record in taken] == [True, True, True, False, False]
    assert taken[0].match is not None
    await house.imports.delete(taken[0].match.id, ALICE.id)
    taken, _ = await house.imports.add(ALICE, text)
    assert sum(record.match is not None for record in taken) == 3


@pytest.mark.both_databases
async def test_a_record_goes_with_its_owner_and_is_in_their_data(house: House) -> None:
    number = (await imported(house, SHORT)).id
    await house.notes.set(number, ALICE.id, "A classic.")
    await refused(UnknownMatchError, house.notes.set(number, BOB.id, "Mine?"), house.notes.get(number, BOB.id))
    await refused(NotImportedError, house.imports.delete(number, BOB.id))
    mine, theirs = await house.privacy.export(ALICE.id), await house.privacy.export(BOB.id)
    assert mine is not None
    assert theirs is not None
    data = json.loads(mine.data)
    assert data["imports"][0]["tags"]["Date"] == "1999.12.31"
    assert [step["turn"] for step in data["turns"]] == list(SHORT.turns)
    assert data["matches"][0]["ruleset"] == DALEN.id
    assert "imports" not in json.loads(theirs.data)
    await house.privacy.delete(ALICE.id)
    await refused(UnknownMatchError, house.matches.match(number))
    async with house.database.read() as connection:
        for table in metadata.sorted_tables:
            left = select(func.count()).select_from(table)
            if table in (turns, imports):
                assert await connection.scalar(left) == 0
            elif table is not matches and "match_id" in table.c:
                assert await connection.scalar(left.where(table.c.match_id == number)) == 0, table.name


async def test_no_note_is_stored_once_its_writer_is_deleted(house: House) -> None:
    match = await house.start()
    await house.resign(match, BOB)
    await house.privacy.delete(ALICE.id)
    async with house.storage.transaction() as tx:
        await tx.players.save(ALICE)
    await refused(NotAPlayerError, house.notes.set(match.id, ALICE.id, "Too late."))
