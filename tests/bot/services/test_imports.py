"""Imported records: they come out as they went in, belong to one person, and count for nothing."""

from __future__ import annotations

import asyncio
import json
import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import func, select

import rules
from bot.domain.matches import Ending, MatchFilter, NotAPlayerError, UnknownMatchError
from bot.domain.places import Viewer
from bot.domain.players import IMPORTED_IDS
from bot.domain.study.imports import MOST_IMPORTS, NotImportedError, names_in, read_records, record_of, result_in
from bot.services.history import History
from bot.services.matches import Matches
from bot.services.study.imports import Imports
from bot.services.study.notes import Notes
from bot.storage import Storage
from bot.storage.tables import imports, metadata, turns
from bot.storage.tables import matches as matches_table
from rules import Record, Ruleset
from tests.support.positions import SOME_RULESETS, ids, random_turns
from tests.support.services import ALICE, BOB, DALEN, PLACE, Clock, privacy_service, start

SHORT = Record(DALEN, ("e5", "light", "d4"), "*", {"Dark": "Ann", "Date": "1999.12.31"})
_SMALL = [each for each in SOME_RULESETS if each.game.name in rules.GAMES and each.size == each.game.sizes[0]]
_TAGS = st.dictionaries(
    st.sampled_from(["Dark", "Light", "Event", "Date", "Termination", "First", "Second", "Round"]), st.text(max_size=40)
)


def _some_turns(ruleset: Ruleset, count: int) -> tuple[str, ...]:
    return random_turns(ruleset)[:count]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=15, deadline=None)
@given(tags=_TAGS, count=st.integers(0, 30), kind=st.sampled_from(_SMALL), text=st.text(max_size=60))
async def test_any_record_comes_out_as_it_went_in(
    storage: Storage, matches: Matches, clock: Clock, tags: dict[str, str], count: int, kind: Ruleset, text: str
) -> None:
    """Whatever stands before it: tags tell other records apart."""
    record = Record(kind, _some_turns(kind, count), random.Random(count).choice(["*", "1-0", "0-1", "1/2-1/2"]), tags)
    service = Imports(storage, clock)
    record = Record.parse(str(record)) if record.position().outcome is None else Record(kind, (), "*", tags)
    (taken,), more = await service.add(ALICE, str(record))
    assert not more
    assert taken.match is not None
    game = await matches.game(taken.match.id)
    assert record_of(game) == record
    assert str(record_of(game)) == str(record)
    await asyncio.to_thread(read_records, text)  # nothing that is typed makes it fail
    (again,), _ = await service.add(ALICE, str(record))
    assert again.before
    assert again.match is not None
    assert again.match.id == taken.match.id


@pytest.mark.parametrize("kind", _SMALL, ids=ids)
async def test_positions_and_handicaps_are_imported(
    storage: Storage, matches: Matches, clock: Clock, kind: Ruleset
) -> None:
    begun = random_turns(kind)[:6]
    continued = rules.continued(kind, begun)
    records = [Record(continued, random_turns(kind)[6:9])]
    uneven = rules.with_setup(kind, str(kind.game.handicaps(kind.variant)[-1]))
    records.append(Record(uneven, random_turns(uneven)[:3]))
    taken, _ = await Imports(storage, clock).add(ALICE, "\n".join(map(str, records)))
    for each, record in zip(taken, records, strict=True):
        assert each.match is not None
        assert record_of(await matches.game(each.match.id)) == record


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
async def test_a_record_is_in_no_list_and_no_rating(storage: Storage, matches: Matches, clock: Clock) -> None:
    match = await start(matches)
    await Imports(storage, clock).add(ALICE, str(SHORT))
    async with storage.read() as tx:
        number = await tx.searches.count(MatchFilter())
        assert await tx.searches.count(MatchFilter(player_id=ALICE.id)) == 0
        assert (await tx.privacy.conduct(ALICE.id, None)).matches == 0
        assert await tx.matches.latest(0) is None
        assert [each.id for each in await tx.matches.running(player_id=ALICE.id)] == [match.id]
        assert await tx.deliveries.waiting_matches() == []
        assert number == 1, "only a search for everything, which nobody makes, finds it"
    history = History(storage, matches)
    assert (await history.look_up(Viewer(ALICE.id, PLACE), 2)).first.name == "Ann"
    with pytest.raises(UnknownMatchError):
        await history.look_up(Viewer(BOB.id, PLACE), 2)


@pytest.mark.both_databases
async def test_the_same_record_from_several_processes_is_stored_once(storage: Storage, clock: Clock) -> None:
    service = Imports(storage, clock)
    found = await asyncio.gather(*(service.add(ALICE, str(SHORT)) for _ in range(4)))
    assert len({each.match.id for (each,), _ in found if each.match is not None}) == 1
    assert await service.count(ALICE.id) == 1


async def test_nobody_keeps_more_than_there_is_room_for(
    storage: Storage, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.services.study.imports.MOST_IMPORTS", 3)
    assert MOST_IMPORTS > 3
    service = Imports(storage, clock)
    text = "\n".join(str(Record(DALEN, SHORT.turns, "*", {"Round": str(each)})) for each in range(5))
    taken, _ = await service.add(ALICE, text)
    assert [each.match is not None for each in taken] == [True, True, True, False, False]
    await service.delete(taken[0].match.id if taken[0].match else 0, ALICE.id)
    taken, _ = await service.add(ALICE, text)
    assert sum(each.match is not None for each in taken) == 3


@pytest.mark.both_databases
async def test_a_record_goes_with_its_owner_and_is_in_their_data(
    storage: Storage, matches: Matches, clock: Clock
) -> None:
    service, notes, privacy = Imports(storage, clock), Notes(storage), privacy_service(storage, matches, clock)
    (taken,), _ = await service.add(ALICE, str(SHORT))
    assert taken.match is not None
    match_id = taken.match.id
    await notes.set(match_id, ALICE.id, "A classic.")
    for call in (notes.set(match_id, BOB.id, "Mine?"), notes.get(match_id, BOB.id)):
        with pytest.raises(UnknownMatchError):
            await call
    with pytest.raises(NotImportedError):
        await service.delete(match_id, BOB.id)
    mine, theirs = await privacy.export(ALICE.id), await privacy.export(BOB.id)
    assert mine is not None
    assert theirs is not None
    data = json.loads(mine.data)
    assert data["imports"][0]["tags"]["Date"] == "1999.12.31"
    assert [each["turn"] for each in data["turns"]] == list(SHORT.turns)
    assert data["matches"][0]["ruleset"] == DALEN.id
    assert "imports" not in json.loads(theirs.data)
    await privacy.delete(ALICE.id)
    with pytest.raises(UnknownMatchError):
        await matches.match(match_id)
    async with storage.database.read() as connection:
        for table in metadata.sorted_tables:
            if table is not matches_table and "match_id" in table.c:
                left = select(func.count()).select_from(table).where(table.c.match_id == match_id)
                assert await connection.scalar(left) == 0, table.name
        assert await connection.scalar(select(func.count()).select_from(turns)) == 0
        assert await connection.scalar(select(func.count()).select_from(imports)) == 0


async def test_no_note_is_stored_once_its_writer_is_deleted(storage: Storage, matches: Matches, clock: Clock) -> None:
    match = await start(matches)
    await matches.resign(match.id, BOB.id)
    notes = Notes(storage)
    await privacy_service(storage, matches, clock).delete(ALICE.id)
    async with storage.transaction() as tx:
        await tx.players.save(ALICE)
    with pytest.raises(NotAPlayerError):
        await notes.set(match.id, ALICE.id, "Too late.")
