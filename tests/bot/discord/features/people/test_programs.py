"""Programs on Discord: made in the settings, challenged like players, and ended."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from hashlib import sha256

import aiohttp
import pytest
from aiohttp.test_utils import TestServer
from sqlalchemy import text

from bot.config import Config
from bot.domain.matches import Ending, Result
from tests.support.discord.club import Answer, Club
from tests.support.web.programs import Connected

URL = "http://127.0.0.1"


@pytest.fixture
def config(database_url: str) -> Config:
    return Config.model_construct(database_url=database_url, web_url=URL)


async def make(club: Club, name: str = "Stony") -> tuple[Answer, str]:
    """Let Alice make a program; return the answer, and what the settings show then."""
    settings = await club.open(club.alice, "settings", "Programs")
    form = await club.press(club.alice, "New program", on=settings)
    answer = await club.fill(club.alice, form, name=name)
    return answer, club.seen(settings).text


@pytest.fixture
async def stony(club: Club) -> AsyncIterator[Connected]:
    """Alice's program, with its connection to the bot."""
    _, card = await make(club)
    token = re.search(r"```\s*(\S+)\s*```", card)
    assert token is not None
    assert club.app.pages is not None
    server = TestServer(club.app.pages.application())
    await server.start_server()
    (program,) = await club.app.programs.of(club.alice.id)
    async with aiohttp.ClientSession() as session:
        yield Connected(session, str(server.make_url("")).rstrip("/"), program, token[1])
    await server.close()


async def accepted(club: Club, stony: Connected) -> str:
    """Let Bob challenge the program, which accepts; return the key of the match."""
    offered = await club.offers(club.bob, "sto", command="challenge", option="program", game="dalen")
    assert [each["name"] for each in offered] == ["⚙ Stony of Alice"]
    terms = {"game": "dalen", "size": 5, "first": "challenger", "program": offered[0]["name"]}
    answer = await club.slash(club.bob, "challenge", **terms)
    assert answer.nothing, answer.private
    challenge = (await stony.get("/events", wait=0)).value["challenges"][0]
    key: str = (await stony.post(f"/challenges/{challenge['id']}", answer="accept")).value["match"]
    await club.until_shown()
    return key


async def test_the_token_is_shown_once_and_stored_as_a_hash(club: Club, stony: Connected) -> None:
    async with club.app.storage.read() as tx:
        rows = (await tx._connection.execute(text("SELECT * FROM programs"))).mappings().all()
    assert [row["hash"] for row in rows] == [sha256(stony.token.encode()).hexdigest()]
    assert stony.token not in str(rows)
    settings = await club.open(club.alice, "settings", "Programs")
    assert "⚙ Stony" in club.seen(settings).text
    assert stony.token not in club.seen(settings).text
    await club.press(club.alice, "New token", on=settings)
    assert (await stony.get("/events", wait=0)).status == 401
    assert stony.token not in str(club.log)
    refused, _ = await make(club, "\u200b \u202e")
    assert "has 1 to 32 letters" in refused.private
    for name in ("Two", "Three"):
        await make(club, name)
    assert "New program" not in (await club.change(club.alice, "Your programs", on=settings)).labels
    assert len(await club.app.programs.of(club.alice.id)) == 3


async def test_a_match_against_a_program_is_shown_but_does_not_count(club: Club, stony: Connected) -> None:
    key = await accepted(club, stony)
    card = club.card()
    card.says("Bob", "⚙ Stony of Alice")
    assert "casual" in " ".join(each.text for each in club.cards())
    await club.choose_in(club.alice, "my-outside", "hidden", on=await club.open(club.alice, "settings"))
    assert (await stony.get("/events", wait=0)).value["program"]["name"] == "⚙ Stony", "as its owner wishes"
    assert (await club.newest_match()).second.name == "⚙ Stony of Alice"  # on the server
    await club.move(club.bob, "e5")
    await club.env.settle()
    waiting = club.card()
    assert "⚙ Stony of Alice is choosing a side." in waiting.text
    assert "choose your side" not in waiting.text
    assert waiting.labels[:2] == ("Tap the board", "More…")  # nobody on Discord can play for the program
    assert f"<@{stony.program.id}>" not in str(club.env.backend)
    assert (await stony.post(f"/matches/{key}/turns", step=1, turn="dark")).status == 200
    await club.until_shown()
    assert "⚙ Stony of Alice chose" in club.card().text
    assert club.card().pinged == (club.bob.id,)
    assert (await stony.post(f"/matches/{key}/resign")).status == 200
    await club.until_shown()
    assert (await club.app.privacy.conduct(club.bob.id)).matches == 0
    assert "Stony" not in (await club.slash(club.bob, "leaderboard")).private
    assert "⚙ Stony of Alice" in (await club.slash(club.bob, "history")).private


async def test_a_challenge_to_a_program_is_answered_or_refused_in_words(club: Club, stony: Connected) -> None:
    for options, reason in (
        ({"program": "nobody"}, "no such program"),
        ({"program": "Stony", "opponent": club.carol}, "is the opponent"),
        ({"program": "Stony", "level": 2}, "is the opponent"),
        ({"program": "Stony", "rated": True}, "are casual"),
    ):
        assert reason in (await club.slash(club.bob, "challenge", game="dalen", **options)).private
    answer = await club.slash(club.bob, "challenge", game="dalen", program="stony")
    assert answer.nothing, answer.private
    card = club.last_card()
    assert "⚙ Stony of Alice can answer" in club.seen(card).text
    assert club.seen(card).labels[:2] == ("Withdraw", "Play the computer")
    challenge = await club.newest_challenge()
    assert (await stony.post(f"/challenges/{challenge.id}", answer="decline")).status == 200
    async with asyncio.timeout(30):
        while "declined" not in club.seen(card).text:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    await club.app.privacy.set_blocked(club.player(club.alice), [club.bob.id])
    refused = await club.slash(club.bob, "challenge", game="dalen", program="Stony")
    assert "does not want to play" in refused.private


async def test_hints_are_allowed_against_a_program_which_resigns_when_it_is_ended(club: Club, stony: Connected) -> None:
    await accepted(club, stony)
    assert "Hint" in (await club.press(club.bob, "Without the page")).messages[0].labels
    await club.match(club.bob, club.carol)
    same = await club.press(
        club.bob, "Hint", on=await club.open(club.bob, "board", "More…", match="1", overlay="legal")
    )
    assert "exactly this position" in same.private, "as in a match against a person"
    settings = await club.open(club.alice, "settings", "Programs", "End…")
    assert "resigns its running matches" in club.seen(settings).text
    await club.press(club.alice, "Yes, end it", on=settings)
    assert await club.app.programs.of(club.alice.id) == []
    assert (await club.app.matches.match(1)).result == Result(club.bob.id, Ending.RESIGNATION)
    assert "a deleted player" in club.card().text
    assert (await stony.get("/events", wait=0)).status == 401


async def test_without_pages_there_are_no_programs(club: Club) -> None:
    club.app.doors.url = None
    assert "Programs" not in club.seen((await club.slash(club.alice, "settings")).private_handle).labels
