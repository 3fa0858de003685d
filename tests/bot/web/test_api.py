"""Programs that use the API by real requests: events, actions and refusals."""

from __future__ import annotations

import asyncio
import json
import random
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from aiohttp.test_utils import unused_port

import rules
from bot.domain.challenges import ChallengeState
from bot.domain.clocks import TimeControl
from bot.domain.matches import ProposalKind
from bot.domain.players import Names, Player, UnknownProgramError
from bot.domain.timers import TimerKind
from bot.storage import Database
from tests.support.games import WHOLE_GAME
from tests.support.services.matches import (
    ALICE,
    BOB,
    CAROL,
    Clock,
    note_card,
    play_turn,
    start as start_between_people,
    store_turns,
)
from tests.support.services.stored import due_timers
from tests.support.thorough import THOROUGH
from tests.support.waiting import until
from tests.support.web.contract import Contract
from tests.support.web.pages import Site, site_on
from tests.support.web.programs import Answer, Connected, challenge, connect, start


@dataclass
class Match:
    """A match of a connected program, which opens, and its opponent."""

    program: Connected
    key: str
    id: int

    @property
    def path(self) -> str:
        return f"/matches/{self.key}"

    async def play(self, step: int, turn: str) -> Answer:
        return await self.program.post(f"{self.path}/turns", step=step, turn=turn)


async def begin(site: Site, **terms: Any) -> Match:
    """Connect a program, and start a match of Bob against it."""
    program = await connect(site)
    key = await start(site, program, **terms)
    return Match(program, key, await site.services.doors.match_of(key))


async def test_a_person_and_a_program_play_to_the_end_of_a_game(site: Site) -> None:
    chance, program, matches = random.Random(1), await connect(site), site.services.matches
    async with program.events() as events:
        state = await events.next()
        assert (state["program"], state["challenges"], state["matches"]) == ({"name": "⚙ Stony of Alice"}, [], [])
        made = await challenge(site, program)
        heard = (await events.next())["challenge"]
        assert (heard["direction"], heard["other"]) == ("in", {"name": "Bob", "kind": "person"})
        accepted = await program.post(f"/challenges/{heard['id']}", answer="accept")
        assert accepted.value["state"] == "accepted"
        assert {(await events.next())["type"], (await events.next())["type"]} == {"challenge", "match"}
        match = (await program.get(f"/matches/{accepted.value['match']}")).value
        number = await site.services.doors.match_of(match["key"])
        assert not (await matches.match(number)).rated
        if not THOROUGH:
            async with matches.storage.transaction() as tx:
                await store_turns(tx, matches, number, WHOLE_GAME[:-9], matches.now())
            match = (await events.next())["match"]
        while match["result"] is None:
            turn = chance.choice(rules.ruleset_by_id(match["ruleset"]["id"]).replay(match["turns"]).legal_turns)
            if match["your_turn"]:
                played = await program.post(f"/matches/{match['key']}/turns", step=match["step"], turn=turn)
                assert (played.status, played.value["turns"]) == (200, [*match["turns"], turn])
            else:
                await play_turn(matches, number, BOB.id, turn)
            match = (await events.next())["match"]
    assert match["result"]["ending"] == "rules"
    assert (await site.services.challenges.get(made.id)).state is ChallengeState.ACCEPTED
    assert (TimerKind.SHOW_MATCH, number) in await due_timers(matches.storage, matches.now())


async def test_a_new_stream_begins_with_everything(site: Site) -> None:
    match = await begin(site)
    async with match.program.events() as events:
        assert (await events.next())["matches"][0]["turns"] == []
    await match.play(0, "e5")
    await play_turn(site.services.matches, match.id, BOB.id, "dark")
    waiting = await challenge(site, match.program, CAROL)
    async with match.program.events() as events:
        state = await events.next()
    assert [challenge["id"] for challenge in state["challenges"]] == [waiting.id]
    (shown,) = state["matches"]
    assert (shown["key"], shown["turns"], shown["your_turn"]) == (match.key, ["e5", "dark"], True)


async def test_a_turn_may_be_sent_again_but_not_changed(site: Site) -> None:
    match = await begin(site)
    assert [answer.status for answer in await asyncio.gather(*(match.play(0, "e5") for _ in range(4)))] == [200] * 4
    await play_turn(site.services.matches, match.id, BOB.id, "light")
    again = await match.play(0, "E5")
    assert (again.status, again.value["turns"]) == (200, ["e5", "light"])
    for step, turn in ((0, "d4"), (7, "d4"), (1, "light")):  # the last turn was Bob's
        refused = await match.play(step, turn)
        assert (refused.status, refused.value["match"]["step"]) == (409, 2)
        assert refused.value["code"] == "moved_on" or step == 1


async def test_a_turn_sent_again_may_have_another_notation(site: Site) -> None:
    match, matches = await begin(site, ruleset=rules.ruleset("nadraz", 6)), site.services.matches
    begun = ("e5,g7", "white", "d4-c4", "f7-f10", "e6-i6", "f6-c3")
    async with matches.storage.transaction() as tx:
        await store_turns(tx, matches, match.id, begun, matches.now())
    for turn, status in (("c5-d6", 200), ("d6-c5", 200), ("c5", 409)):
        answer = await match.play(len(begun), turn)
        assert (answer.status, answer.value.get("match", answer.value)["turns"]) == (status, [*begun, "c5-d6"])


async def test_illegal_and_early_turns_are_refused(site: Site) -> None:
    match = await begin(site)
    refused = await match.play(0, "z9")
    assert (refused.status, refused.value["code"]) == (422, "illegal_turn")
    assert (await match.play(0, "e5")).status == 200
    early = await match.play(1, "light")
    assert (early.status, early.value["code"]) == (409, "not_your_turn")
    assert early.value["message"] == f"It is not your turn: Bob is choosing a side in match #{match.id}."
    assert early.value["match"]["turns"] == ["e5"]
    for body in ({}, {"step": "0", "turn": "e5"}, {"step": True, "turn": "e5"}, {"step": 0, "turn": "x" * 501}):
        unreadable = await match.program.post(f"{match.path}/turns", **body)
        assert (unreadable.status, unreadable.value["code"]) == (422, "unreadable")


async def test_legal_turns_are_listed_on_request(site: Site) -> None:
    match = await begin(site)
    legal, get = rules.ruleset("dalen", 5).start().legal_turns, partial(match.program.get, match.path)
    assert (await get(legal=1000)).value["legal"] == {"turns": list(legal), "complete": True}
    assert (await get(legal=3)).value["legal"] == {"turns": list(legal[:3]), "complete": False}
    assert "legal" not in (await get()).value
    for query in ({"legal": 0}, {"legal": 1001}, {"legal": "all"}, {"colour": "dark"}):
        assert (await get(**query)).status == 422
    await match.play(0, "e5")
    assert "legal" not in (await get(legal=3)).value, "it is Bob's turn"


async def test_a_program_resigns_and_agrees_to_draws_and_rematches(site: Site) -> None:
    match, proposals = await begin(site, ruleset=rules.ruleset("hedu", 5)), site.services.proposals
    program, draw = match.program, f"{match.path}/draw"
    offered = await program.post(draw)
    assert [(proposal["kind"], proposal["by"]) for proposal in offered.value["proposals"]] == [("draw", 0)]
    assert (await program.post(draw)).value["code"] == "proposal_stands"
    await proposals.propose(match.id, BOB.id, ProposalKind.DRAW)
    over = await program.post(draw)
    assert (over.status, over.value["match"]["result"]["ending"]) == (409, "agreement")
    rematch = await proposals.propose(match.id, BOB.id, ProposalKind.REMATCH)
    async with program.events() as events:
        assert [shown["key"] for shown in (await events.next())["matches"]] == [match.key]
        assert (await program.post(f"{match.path}/proposals/{rematch.id}", answer="accept")).status == 200
        changed = [(await events.next())["match"] for _ in range(2)]
    (new,) = (shown["key"] for shown in changed if shown["result"] is None)
    resigned = await program.post(f"/matches/{new}/resign")
    assert resigned.value["result"] == {"winner": 0, "ending": "resignation", "reason": None}


async def test_a_program_answers_proposals_only_in_their_match(site: Site) -> None:
    match = await begin(site)
    other = await start(site, match.program, CAROL)
    asked = await site.services.proposals.propose(match.id, BOB.id, ProposalKind.ABANDON)
    for path, answer, status in ((f"/matches/{other}", "accept", 404), (match.path, "maybe", 422)):
        assert (await match.program.post(f"{path}/proposals/{asked.id}", answer=answer)).status == status
    declined = await match.program.post(f"{match.path}/proposals/{asked.id}", answer="decline")
    assert (declined.status, declined.value["proposals"]) == (200, [])


async def test_a_program_claims_a_win_on_time(site: Site, clock: Clock) -> None:
    match = await begin(site, control=TimeControl.banks_of(timedelta(minutes=1)))
    await note_card(site.services.matches.storage, match.id)
    assert (await match.play(0, "e5")).value["clock"]["left"] == [60, 60]
    assert (await match.program.post(f"{match.path}/claim")).value["code"] == "time_left"
    clock.now += timedelta(minutes=2)
    assert (await match.program.post(f"{match.path}/claim")).value["result"]["ending"] == "time"


async def test_a_challenge_is_answered_once(site: Site) -> None:
    program = await connect(site)
    path = f"/challenges/{(await challenge(site, program)).id}"
    for _ in range(2):
        declined = await program.post(path, answer="decline")
        assert (declined.status, declined.value["state"]) == (200, "declined")
    late = await program.post(path, answer="accept")
    assert (late.status, late.value["code"]) == (409, "challenge_closed")
    assert (await program.post("/challenges/999", answer="accept")).status == 404


async def test_a_program_hears_that_challenges_are_withdrawn_or_expire(site: Site, clock: Clock) -> None:
    program, challenges = await connect(site), site.services.challenges
    made = await challenge(site, program)
    async with program.events() as events:
        assert len((await events.next())["challenges"]) == 1
        clock.now = made.expires_at
        assert (await program.post(f"/challenges/{made.id}", answer="accept")).value["code"] == "challenge_closed"
        other = await challenge(site, program, CAROL)
        assert (await events.next())["challenge"]["other"]["name"] == "Carol"
        await challenges.expire(made.id)
        assert (await events.next())["challenge"]["state"] == "expired"
        await challenges.withdraw(other.id, CAROL.id)
        assert (await events.next())["challenge"]["state"] == "withdrawn"


async def test_single_answers_wait_for_something_to_do_or_a_change(site: Site) -> None:
    program = await connect(site)
    assert (await program.get("/events", wait=0)).value["matches"] == []
    waiting = asyncio.create_task(program.get("/events", wait=60))
    await until(lambda: len(site.services.watching) == 1)
    made = await challenge(site, program)
    state = (await waiting).value
    assert [challenge["id"] for challenge in state["challenges"]] == [made.id]
    assert (await program.get("/events", wait=60)).value == state, "the challenge still waits"
    later = asyncio.create_task(program.get("/events", wait=60, seen=state["seen"]))
    await until(lambda: len(site.services.watching) == 1)
    await site.services.challenges.withdraw(made.id, BOB.id)
    assert (await later).value["challenges"] == []
    assert (await program.get("/events", wait=61)).status == 422


async def test_a_new_stream_ends_the_previous_one(site: Site, complaints: list[object]) -> None:
    program = await connect(site)
    async with program.events() as old:
        await old.next()
        async with program.events() as new:
            await new.next()
            assert (await old.next())["code"] == "taken_over"
            assert await old.next() is None
            await challenge(site, program)
            assert (await new.next())["type"] == "challenge"
    assert not complaints


async def test_a_beat_reveals_programs_that_have_left(site: Site, complaints: list[object]) -> None:
    program, site.pages.streams.beat = await connect(site), 0.01
    async with program.events() as events:
        await events.next()
        assert (await events.answer.content.readline()) == b"\n"
        assert len(site.pages.streams) == 1
    await until(lambda: len(site.pages.streams) == 0)
    await until(lambda: len(site.services.watching) == 0)
    assert not complaints


async def test_a_stop_ends_the_streams_of_programs(site: Site) -> None:
    program = await connect(site)
    async with program.events() as events:
        await events.next()
        await site.pages.streams.stop()
        assert (await events.next())["code"] == "stopping"
        assert await events.next() is None


async def test_only_the_latest_token_is_valid(site: Site) -> None:
    program = await connect(site)
    async with program.events() as events:
        await events.next()
        _, new = await site.services.programs.renew(program.program.id, ALICE.id)
        assert (await events.next())["code"] == "unauthorized"
    for wrong in (program.token, "", "wrong", "x" * 200):
        program.token = wrong
        refused = await program.get("/events", wait=0)
        assert (refused.status, refused.value["code"]) == (401, "unauthorized")
        assert refused.headers["WWW-Authenticate"] == "Bearer"
    events_address = f"{site.base}/api/v1/events?wait=0"
    for scheme in ("Bearer", "bearer"):
        headers = {"Authorization": f"{scheme} {new}"}
        async with program.session.get(events_address, headers=headers) as answer:
            assert answer.status == 200


async def test_sessions_and_tokens_are_not_interchangeable(site: Site) -> None:
    program, alice = await connect(site), await site.browser_of(ALICE)
    assert (await alice.get("/api/v1/events?wait=0")).status == 401
    assert "Alice" not in (await (await site.browser()).get("/", **program.headers)).text


async def test_a_program_sees_only_its_own_matches(site: Site) -> None:
    program, other = await connect(site), await connect(site, CAROL, "Rival")
    key = await start(site, other)
    people = await site.services.doors.key((await start_between_people(site.services.matches, ALICE, CAROL)).id)
    theirs = await challenge(site, other, ALICE)
    for path in (f"/matches/{key}", f"/matches/{people}", "/matches/nonsense"):
        assert (await program.get(path)).status == 404
    assert (await program.post(f"/matches/{key}/resign")).status == 404
    assert (await program.post(f"/matches/{key}/turns", step=0, turn="e5")).status == 404
    assert (await program.post(f"/challenges/{theirs.id}", answer="accept")).status == 404


async def test_a_program_is_deleted_with_its_owner(site: Site, clock: Clock) -> None:
    match = await begin(site)
    async with match.program.events() as events:
        await events.next()
        await site.services.privacy.delete(ALICE.id)
        assert [(await events.next())["type"] for _ in range(2)] == ["match", "end"]
    over = await site.services.matches.match(match.id)
    assert over.result is not None
    assert over.result.winner_id == BOB.id
    assert over.first.deleted
    assert (await match.program.get("/events", wait=0)).status == 401


async def test_matches_with_a_deleted_program_do_not_count_as_matches_with_people(site: Site, clock: Clock) -> None:
    ended, person, matches = await connect(site), await connect(site, CAROL), site.services.matches
    await start(site, ended)
    await start(site, person, ALICE)
    await matches.resign((await start_between_people(matches)).id, BOB.id)
    privacy = site.services.privacy
    await privacy.delete(ended.program.id)
    await privacy.delete(CAROL.id)
    assert [(await privacy.conduct(player.id)).matches for player in (ALICE, BOB)] == [1, 1]
    await privacy.delete(ALICE.id)
    assert (await privacy.conduct(BOB.id)).matches == 1


@pytest.mark.parametrize("query", ["", "?wait=60"], ids=["stream", "single answer"])
async def test_a_closed_connection_frees_its_place_at_once(site: Site, query: str) -> None:
    program, port = await connect(site), unused_port()
    site.pages.streams.beat = 1000
    request = f"GET /api/v1/events{query} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {program.token}\r\n\r\n"
    async with site.pages.serving("127.0.0.1", port):
        _reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(request.encode())
        await until(lambda: len(site.pages.streams) == 1 == len(site.services.watching))
        writer.close()
        await until(lambda: len(site.pages.streams) == 0)


async def test_a_notification_without_an_event_sends_an_empty_line(site: Site) -> None:
    program = await connect(site)
    async with program.events() as events:
        await events.next()
        site.services.watching.wake(program.program.id)
        assert await asyncio.wait_for(events.answer.content.readline(), 5) == b"\n"


async def test_requests_of_a_program_are_limited(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.web.api.routes._PER_MINUTE", 3)
    async with site_on(site.services.matches.storage.database, Clock()) as limited:
        program, other = await connect(limited), await connect(limited, BOB)
        answers = [await program.get("/events", wait=0) for _ in range(4)]
        assert [answer.status for answer in answers] == [200, 200, 200, 429]
        assert int(answers[-1].headers["Retry-After"]) in range(1, 61)
        assert (await other.get("/events", wait=0)).status == 200


async def test_running_matches_of_a_program_are_limited(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.services.match_lifecycle.MOST_RUNNING", 1)
    program = await connect(site)
    await start(site, program)
    more = await challenge(site, program, CAROL)
    refused = await program.post(f"/challenges/{more.id}", answer="accept")
    assert (refused.status, refused.value["code"]) == (409, "busy_program")
    assert (await site.services.challenges.get(more.id)).state is ChallengeState.OPEN


async def test_failures_are_json(site: Site) -> None:
    match = await begin(site)
    session, headers = match.program.session, match.program.headers
    async with session.get(f"{site.base}/api/v1/nothing", headers=headers) as answer:
        assert (answer.status, (await answer.json())["code"]) == (404, "not_found")
    address = f"{site.base}/api/v1{match.path}/turns"
    for body, status in ((b"{", 422), (b"\xff", 422), (b"[" * 20_000, 422), (b"[1]", 422), (b" " * 40_000, 413)):
        async with session.post(address, data=body, headers=headers) as answer:
            assert answer.status == status
            assert set(await answer.json()) == {"code", "message"}


async def test_the_document_describes_exactly_the_routes_of_the_server(site: Site) -> None:
    document = Contract().document
    assert json.loads((await (await site.browser()).get("/api/v1/openapi.json")).html) == document
    served = {
        (route.method.lower(), route.resource.canonical.removeprefix("/api/v1"))
        for route in site.pages.application().router.routes()
        if route.resource is not None and route.resource.canonical.startswith("/api/") and route.method != "HEAD"
    }
    described = {(method, path) for path, item in document["paths"].items() for method in {*item} - {"parameters"}}
    assert served == described


async def test_a_new_stream_in_another_process_ends_the_previous_one(database: Database, clock: Clock) -> None:
    """The processes wake each other, as with PostgreSQL."""
    async with site_on(database, clock) as one, site_on(database, clock) as other:

        def wake(subject: int) -> None:
            for site in (one, other):
                site.services.watching.wake(subject)

        one.services.storage.on_changed = other.services.storage.on_changed = wake
        program = await connect(one)
        async with program.events() as old:
            await old.next()
            await challenge(other, program)
            assert (await old.next())["type"] == "challenge"
            program.base = other.base
            async with program.events() as new:
                assert len((await new.next())["challenges"]) == 1
                assert (await old.next())["code"] == "taken_over"


async def test_a_program_is_found_by_its_number_and_names(site: Site) -> None:
    program = await connect(site, name="Son of Stony")
    programs, storage = site.services.programs, site.services.matches.storage
    async with storage.transaction() as tx:
        await tx.players.save(Player(ALICE.id, "Ally", Names("Alice", "", 1, "Ally")))
    for typed in (str(program.program.id), "son of stony", "⚙ Son of Stony of Ally"):
        assert (await programs.opponent(typed, 1)).id == program.program.id
    for typed, server in (("Stony", 1), ("Son of Stony", 2), ("Son of Stony", None)):
        with pytest.raises(UnknownProgramError):
            await programs.opponent(typed, server)


async def test_the_data_of_a_person_includes_their_programs(site: Site, clock: Clock) -> None:
    program = (await begin(site)).program
    file = await site.services.privacy.export(ALICE.id)
    assert file is not None
    data = json.loads(file.data)
    assert [row["name"] for row in data["programs"]] == ["Stony"]
    assert [row["first_id"] for row in data["matches"]] == [program.program.id]
    assert program.token not in file.data.decode()


async def test_blocking_the_owner_blocks_the_program(site: Site, clock: Clock) -> None:
    program = await connect(site)
    made = await challenge(site, program)
    privacy = site.services.privacy
    await privacy.set_blocked(BOB, [ALICE.id])
    refused = await program.post(f"/challenges/{made.id}", answer="accept")
    assert (refused.status, refused.value["code"]) == (409, "blocked")
