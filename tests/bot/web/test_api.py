"""Programs over real requests: what they hear, what they do, and what is refused."""

from __future__ import annotations

import asyncio
import json
import random
from datetime import timedelta

import pytest
from aiohttp.test_utils import unused_port

import rules
from bot.domain.challenges import ChallengeState
from bot.domain.clocks import TimeControl
from bot.domain.matches import ProposalKind
from bot.domain.players import Names, Player, UnknownProgramError
from bot.domain.timers import TimerKind
from bot.storage import Database
from tests.support.contract import Contract
from tests.support.games import WHOLE_GAME
from tests.support.pages import Site, site_on
from tests.support.programs import challenge, connect, start
from tests.support.services import ALICE, BOB, CAROL, Clock, note_card, play_turn, store_turns
from tests.support.services import start as start_between_people
from tests.support.stored import due_timers
from tests.support.thorough import THOROUGH
from tests.support.waiting import until


async def match_id(site: Site, key: str) -> int:
    return await site.services.doors.match_of(key)


async def test_a_person_and_a_program_play_to_the_end_of_a_game(site: Site) -> None:
    chance, program = random.Random(1), await connect(site)
    async with program.events() as events:
        state = await events.next()
        assert (state["program"], state["challenges"], state["matches"]) == ({"name": "⚙ Stony of Alice"}, [], [])
        made = await challenge(site, program)
        heard = await events.next()
        assert heard["challenge"]["direction"] == "in"
        assert heard["challenge"]["other"] == {"name": "Bob", "kind": "person"}
        answered = await program.post(f"/challenges/{heard['challenge']['id']}", answer="accept")
        assert answered.value["state"] == "accepted"
        assert {(await events.next())["type"], (await events.next())["type"]} == {"challenge", "match"}
        match = (await program.get(f"/matches/{answered.value['match']}")).value
        number = await match_id(site, match["key"])
        assert not (await site.services.matches.match(number)).rated
        if not THOROUGH:
            async with site.services.matches.storage.transaction() as tx:
                await store_turns(tx, site.services.matches, number, WHOLE_GAME[:-9], site.services.matches.now())
            match = (await events.next())["match"]
        while match["result"] is None:
            legal = rules.ruleset_by_id(match["ruleset"]["id"]).replay(match["turns"]).legal_turns
            turn = chance.choice(legal)
            if match["your_turn"]:
                played = await program.post(f"/matches/{match['key']}/turns", step=match["step"], turn=turn)
                assert played.status == 200
                assert played.value["turns"] == [*match["turns"], turn]
            else:
                await play_turn(site.services.matches, number, BOB.id, turn)
            match = (await events.next())["match"]
    assert match["result"]["ending"] == "rules"
    assert (await site.services.challenges.get(made.id)).state is ChallengeState.ACCEPTED
    matches = site.services.matches
    assert (TimerKind.SHOW_MATCH, number) in await due_timers(matches.storage, matches.now())


async def test_a_program_that_comes_again_gets_everything(site: Site) -> None:
    program = await connect(site)
    key = await start(site, program)
    async with program.events() as events:
        assert (await events.next())["matches"][0]["turns"] == []
    await program.post(f"/matches/{key}/turns", step=0, turn="e5")
    await play_turn(site.services.matches, await match_id(site, key), BOB.id, "dark")
    waiting = await challenge(site, program, CAROL)
    async with program.events() as events:
        state = await events.next()
    assert [each["id"] for each in state["challenges"]] == [waiting.id]
    assert [(each["key"], each["turns"], each["your_turn"]) for each in state["matches"]] == [
        (key, ["e5", "dark"], True)
    ]


async def test_a_turn_may_be_sent_again_but_no_other_one(site: Site) -> None:
    program = await connect(site)
    key = await start(site, program)
    turns = f"/matches/{key}/turns"
    at_once = await asyncio.gather(*(program.post(turns, step=0, turn="e5") for _ in range(4)))
    assert [each.status for each in at_once] == [200] * 4
    await play_turn(site.services.matches, await match_id(site, key), BOB.id, "light")
    again = await program.post(turns, step=0, turn="E5")
    assert again.status == 200
    assert again.value["turns"] == ["e5", "light"]
    other = await program.post(turns, step=0, turn="d4")
    assert (other.status, other.value["code"], other.value["match"]["step"]) == (409, "moved_on", 2)
    assert (await program.post(turns, step=1, turn="light")).status == 409  # that was Bob's turn
    early = await program.post(turns, step=7, turn="d4")
    assert (early.status, early.value["code"]) == (409, "moved_on")


async def test_a_turn_may_be_written_in_another_way_when_it_is_sent_again(site: Site) -> None:
    program = await connect(site)
    key = await start(site, program, ruleset=rules.ruleset("nadraz", 6))
    begun, matches = ("e5,g7", "white", "d4-c4", "f7-f10", "e6-i6", "f6-c3"), site.services.matches
    async with matches.storage.transaction() as tx:
        await store_turns(tx, matches, await match_id(site, key), begun, matches.now())
    for turn, status in (("c5-d6", 200), ("d6-c5", 200), ("c5", 409)):
        answer = await program.post(f"/matches/{key}/turns", step=len(begun), turn=turn)
        assert (answer.status, answer.value.get("match", answer.value)["turns"]) == (status, [*begun, "c5-d6"])


async def test_the_rules_and_the_order_of_turns_hold_for_programs(site: Site) -> None:
    program = await connect(site)
    key = await start(site, program)
    turns = f"/matches/{key}/turns"
    refused = await program.post(turns, step=0, turn="z9")
    assert (refused.status, refused.value["code"]) == (422, "illegal_turn")
    assert (await program.post(turns, step=0, turn="e5")).status == 200
    early = await program.post(turns, step=1, turn="light")
    assert (early.status, early.value["code"]) == (409, "not_your_turn")
    sentence = "It is not your turn: Bob is choosing a side in match #{}."
    assert early.value["message"] == sentence.format(await match_id(site, key))
    assert early.value["match"]["turns"] == ["e5"]
    for body in ({}, {"step": "0", "turn": "e5"}, {"step": True, "turn": "e5"}, {"step": 0, "turn": "x" * 501}):
        unreadable = await program.post(turns, **body)
        assert (unreadable.status, unreadable.value["code"]) == (422, "unreadable")


async def test_legal_turns_on_wish(site: Site) -> None:
    program = await connect(site)
    path = f"/matches/{await start(site, program)}"
    legal = rules.ruleset("dalen", 5).start().legal_turns
    assert (await program.get(path, legal=1000)).value["legal"] == {"turns": list(legal), "complete": True}
    assert (await program.get(path, legal=3)).value["legal"] == {"turns": list(legal[:3]), "complete": False}
    assert "legal" not in (await program.get(path)).value
    for wrong in (0, 1001, "all"):
        assert (await program.get(path, legal=wrong)).status == 422
    assert (await program.get(path, colour="dark")).status == 422
    await program.post(f"{path}/turns", step=0, turn="e5")
    assert "legal" not in (await program.get(path, legal=3)).value  # it is Bob's turn


async def test_resigning_and_draws(site: Site) -> None:
    program = await connect(site)
    key = await start(site, program)
    proposals, number = site.services.proposals, await match_id(site, key)
    offered = await program.post(f"/matches/{key}/draw")
    assert [(each["kind"], each["by"]) for each in offered.value["proposals"]] == [("draw", 0)]
    assert (await program.post(f"/matches/{key}/draw")).value["code"] == "proposal_stands"
    await proposals.propose(number, BOB.id, ProposalKind.DRAW)
    over = await program.post(f"/matches/{key}/draw")
    assert (over.status, over.value["match"]["result"]["ending"]) == (409, "agreement")
    rematch = await proposals.propose(number, BOB.id, ProposalKind.REMATCH)
    async with program.events() as events:
        assert [each["key"] for each in (await events.next())["matches"]] == [key]
        assert (await program.post(f"/matches/{key}/proposals/{rematch.id}", answer="accept")).status == 200
        found = [(await events.next())["match"] for _ in range(2)]
    new = next(each for each in found if each["result"] is None)
    resigned = await program.post(f"/matches/{new['key']}/resign")
    assert resigned.value["result"] == {"winner": 0, "ending": "resignation", "reason": None}


async def test_a_program_answers_only_proposals_in_the_match_it_names(site: Site) -> None:
    program = await connect(site)
    key, other = await start(site, program), await start(site, program, CAROL)
    asked = await site.services.proposals.propose(await match_id(site, key), BOB.id, ProposalKind.ABANDON)
    assert (await program.post(f"/matches/{other}/proposals/{asked.id}", answer="accept")).status == 404
    assert (await program.post(f"/matches/{key}/proposals/{asked.id}", answer="maybe")).status == 422
    declined = await program.post(f"/matches/{key}/proposals/{asked.id}", answer="decline")
    assert (declined.status, declined.value["proposals"]) == (200, [])


async def test_a_program_wins_when_the_time_of_its_opponent_is_up(site: Site, clock: Clock) -> None:
    program, control = await connect(site), TimeControl.banks_of(timedelta(minutes=1))
    key = await start(site, program, control=control)
    await note_card(site.services.matches.storage, await match_id(site, key))
    played = await program.post(f"/matches/{key}/turns", step=0, turn="e5")
    assert played.value["clock"]["left"] == [60, 60]
    assert (await program.post(f"/matches/{key}/claim")).value["code"] == "time_left"
    clock.now += timedelta(minutes=2)
    assert (await program.post(f"/matches/{key}/claim")).value["result"]["ending"] == "time"


async def test_a_challenge_is_answered_once(site: Site) -> None:
    program = await connect(site)
    made = await challenge(site, program)
    path = f"/challenges/{made.id}"
    assert (await program.post(path, answer="decline")).value["state"] == "declined"
    assert (await program.post(path, answer="decline")).status == 200
    late = await program.post(path, answer="accept")
    assert (late.status, late.value["code"]) == (409, "challenge_closed")
    assert (await program.post("/challenges/999", answer="accept")).status == 404


async def test_a_withdrawn_challenge_is_heard_of(site: Site) -> None:
    program = await connect(site)
    made = await challenge(site, program)
    async with program.events() as events:
        assert len((await events.next())["challenges"]) == 1
        await site.services.challenges.withdraw(made.id, BOB.id)
        assert (await events.next())["challenge"]["state"] == "withdrawn"


async def test_a_program_hears_that_a_challenge_has_expired(site: Site, clock: Clock) -> None:
    program = await connect(site)
    made = await challenge(site, program)
    async with program.events() as events:
        await events.next()
        clock.now = made.expires_at
        assert (await program.post(f"/challenges/{made.id}", answer="accept")).value["code"] == "challenge_closed"
        await challenge(site, program, CAROL)
        assert (await events.next())["challenge"]["other"]["name"] == "Carol"
        await site.services.challenges.expire(made.id)
        assert (await events.next())["challenge"]["state"] == "expired"


async def test_single_answers(site: Site) -> None:
    program = await connect(site)
    nothing = await program.get("/events", wait=0)
    assert nothing.value["matches"] == []
    waiting = asyncio.create_task(program.get("/events", wait=60))
    await until(lambda: len(site.services.watching) == 1)
    made = await challenge(site, program)
    state = (await waiting).value
    assert [each["id"] for each in state["challenges"]] == [made.id]
    assert (await program.get("/events", wait=60)).value == state  # for something still waits
    later = asyncio.create_task(program.get("/events", wait=60, seen=state["seen"]))
    await until(lambda: len(site.services.watching) == 1)
    await site.services.challenges.withdraw(made.id, BOB.id)
    assert (await later).value["challenges"] == []
    assert (await program.get("/events", wait=61)).status == 422


async def test_a_new_stream_takes_over(site: Site, complaints: list[object]) -> None:
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


async def test_a_program_that_left_is_noticed_at_a_beat(site: Site, complaints: list[object]) -> None:
    program, site.pages.streams.beat = await connect(site), 0.01
    async with program.events() as events:
        await events.next()
        assert (await events.answer.content.readline()) == b"\n"
        assert len(site.pages.streams) == 1
    await until(lambda: len(site.pages.streams) == 0)
    assert len(site.services.watching) == 0
    assert not complaints


async def test_at_a_stop_the_streams_of_programs_end_first(site: Site) -> None:
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
    refused = await program.get("/events", wait=0)
    assert (refused.status, refused.value["code"]) == (401, "unauthorized")
    assert refused.headers["WWW-Authenticate"] == "Bearer"
    program.token = new
    assert (await program.get("/events", wait=0)).status == 200
    for wrong in ("", "wrong", "x" * 200):
        program.token = wrong
        assert (await program.get("/events", wait=0)).status == 401


async def test_nobody_else_gets_in_with_a_token(site: Site) -> None:
    """Neither a cookie nor a session opens the addresses for programs, nor a token the pages."""
    program = await connect(site)
    alice = await site.browser_of(ALICE)
    assert (await alice.get("/api/v1/events?wait=0")).status == 401
    other = await site.browser()
    assert "Alice" not in (await other.get("/", **program.headers)).text


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


async def test_with_its_owner_a_program_goes(site: Site, clock: Clock) -> None:
    program = await connect(site)
    key = await start(site, program)
    async with program.events() as events:
        await events.next()
        await site.services.privacy.delete(ALICE.id)
        assert [(await events.next())["type"] for _ in range(2)] == ["match", "end"]
    over = await site.services.matches.match(await match_id(site, key))
    assert over.result is not None
    assert over.result.winner_id == BOB.id
    assert over.first.deleted
    assert (await program.get("/events", wait=0)).status == 401


async def test_matches_with_an_ended_program_are_not_with_people(site: Site, clock: Clock) -> None:
    ended, person, matches = await connect(site), await connect(site, CAROL), site.services.matches
    await start(site, ended)
    await start(site, person, ALICE)
    people = (await start_between_people(matches)).id
    await matches.resign(people, BOB.id)
    privacy = site.services.privacy
    await privacy.delete(ended.program.id)
    await privacy.delete(CAROL.id)
    assert [(await privacy.conduct(each)).matches for each in (ALICE.id, BOB.id)] == [1, 1]
    await privacy.delete(ALICE.id)
    assert (await privacy.conduct(BOB.id)).matches == 1


async def test_the_scheme_of_a_token_may_be_in_small_letters(site: Site) -> None:
    program = await connect(site)
    headers = {"Authorization": f"bearer {program.token}"}
    async with program.session.get(f"{site.base}/api/v1/events?wait=0", headers=headers) as answer:
        assert answer.status == 200


@pytest.mark.parametrize("query", ["", "?wait=60"], ids=["stream", "single answer"])
async def test_a_program_that_closes_its_connection_leaves_its_place_at_once(site: Site, query: str) -> None:
    program, port = await connect(site), unused_port()
    site.pages.streams.beat = 1000
    request = f"GET /api/v1/events{query} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {program.token}\r\n\r\n"
    async with site.pages.serving("127.0.0.1", port):
        _reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(request.encode())
        await until(lambda: len(site.pages.streams) == 1 == len(site.services.watching))
        writer.close()
        await until(lambda: len(site.pages.streams) == 0)


async def test_news_without_an_event_are_a_sign_of_life(site: Site) -> None:
    program = await connect(site)
    async with program.events() as events:
        await events.next()
        site.services.watching.wake(program.program.id)
        assert await asyncio.wait_for(events.answer.content.readline(), 5) == b"\n"


async def test_a_program_has_so_many_requests_in_a_minute(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.web.api.routes._A_MINUTE", 3)
    async with site_on(site.services.matches.storage.database, Clock()) as limited:
        program, other = await connect(limited), await connect(limited, BOB)
        answers = [await program.get("/events", wait=0) for _ in range(4)]
        assert [each.status for each in answers] == [200, 200, 200, 429]
        assert int(answers[-1].headers["Retry-After"]) in range(1, 61)
        assert (await other.get("/events", wait=0)).status == 200


async def test_a_program_plays_only_so_many_matches_at_once(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.services.match_lifecycle.MOST_RUNNING", 1)
    program = await connect(site)
    await start(site, program)
    more = await challenge(site, program, CAROL)
    refused = await program.post(f"/challenges/{more.id}", answer="accept")
    assert (refused.status, refused.value["code"]) == (409, "busy_program")
    assert (await site.services.challenges.get(more.id)).state is ChallengeState.OPEN


async def test_failures_of_all_kinds_are_json(site: Site) -> None:
    program = await connect(site)
    async with program.session.get(f"{site.base}/api/v1/nothing", headers=program.headers) as answer:
        assert (answer.status, (await answer.json())["code"]) == (404, "not_found")
    key = await start(site, program)
    address = f"{site.base}/api/v1/matches/{key}/turns"
    for body, status in ((b"{", 422), (b"\xff", 422), (b"[" * 20_000, 422), (b"[1]", 422), (b" " * 40_000, 413)):
        async with program.session.post(address, data=body, headers=program.headers) as answer:
            assert answer.status == status
            assert set(await answer.json()) == {"code", "message"}


async def test_the_document_is_published(site: Site) -> None:
    browser = await site.browser()
    assert json.loads((await browser.get("/api/v1/openapi.json")).html) == Contract().document


async def test_each_operation_is_an_address_of_the_server(site: Site) -> None:
    served = {
        (route.method.lower(), route.resource.canonical.removeprefix("/api/v1"))
        for route in site.pages.application().router.routes()
        if route.resource is not None and route.resource.canonical.startswith("/api/")
    }
    described = {
        (method, path)
        for path, item in Contract().document["paths"].items()
        for method in item
        if method != "parameters"
    }
    assert {each for each in served if each[0] != "head"} == described


async def test_a_stream_in_another_process_takes_over(database: Database, clock: Clock) -> None:
    """Two processes wake each other, as PostgreSQL lets them."""
    await database.migrate()
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


async def test_a_program_is_found_by_its_number_and_its_names(site: Site) -> None:
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
    program = await connect(site)
    await start(site, program)
    file = await site.services.privacy.export(ALICE.id)
    assert file is not None
    data = json.loads(file.data)
    assert [row["name"] for row in data["programs"]] == ["Stony"]
    assert [row["first_id"] for row in data["matches"]] == [program.program.id]
    assert program.token not in file.data.decode()


async def test_whoever_blocks_the_owner_has_blocked_the_program(site: Site, clock: Clock) -> None:
    program = await connect(site)
    made = await challenge(site, program)
    privacy = site.services.privacy
    await privacy.set_blocked(BOB, [ALICE.id])
    refused = await program.post(f"/challenges/{made.id}", answer="accept")
    assert (refused.status, refused.value["code"]) == (409, "blocked")
