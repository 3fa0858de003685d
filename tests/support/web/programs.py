"""Programs that use the API by real requests. Every answer is checked against its document."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import aiohttp

from bot.domain.challenges import Challenge, First
from bot.domain.clocks import TimeControl
from bot.domain.places import Place
from bot.domain.players import Player, Program
from rules import Ruleset
from tests.support.services.matches import ALICE, BOB, DALEN, PLACE
from tests.support.web.contract import Contract
from tests.support.web.pages import Site


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    value: Any


@dataclass
class Connected:
    """A connected program, with its token."""

    session: aiohttp.ClientSession
    base: str
    program: Program
    token: str
    contract: Contract = field(default_factory=Contract)

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}

    async def get(self, path: str, **query: object) -> Answer:
        return await self._ask("get", path, params={name: str(value) for name, value in query.items()})

    async def post(self, path: str, **body: object) -> Answer:
        return await self._ask("post", path, json=body)

    async def _ask(self, method: str, path: str, **options: Any) -> Answer:
        address = f"{self.base}/api/v1{path}"
        async with self.session.request(method, address, headers=self.headers, **options) as answer:
            value = self.contract.check_answer(method, path, answer.status, answer.headers, await answer.text())
            return Answer(answer.status, dict(answer.headers), value)

    @asynccontextmanager
    async def events(self) -> AsyncIterator[Events]:
        """Open the program's stream."""
        async with self.session.get(f"{self.base}/api/v1/events", headers=self.headers) as answer:
            assert answer.status == 200
            assert answer.headers["Content-Type"].startswith("application/x-ndjson")
            yield Events(answer, self.contract)


@dataclass
class Events:
    answer: aiohttp.ClientResponse
    contract: Contract

    async def next(self) -> Any:
        """Read the next line that is not empty; None at the end of the stream."""
        while line := await asyncio.wait_for(self.answer.content.readline(), 30):
            if line.strip():
                value = json.loads(line)
                self.contract.check_line(value)
                return value
        return None


async def connect(site: Site, owner: Player = ALICE, name: str = "Stony") -> Connected:
    """Create a program and connect it."""
    program, token = await site.services.programs.make(owner, name)
    session = await site.stack.enter_async_context(aiohttp.ClientSession())
    return Connected(session, site.base, program, token)


async def challenge(
    site: Site,
    connected: Connected,
    challenger: Player = BOB,
    first: First = First.CHALLENGER,
    place: Place = PLACE,
    ruleset: Ruleset = DALEN,
    control: TimeControl | None = None,
) -> Challenge:
    """Challenge a program."""
    async with site.services.matches.storage.read() as tx:
        program = (await tx.players.by_ids([connected.program.id], None))[connected.program.id]
    return await site.services.challenges.challenge(
        place, challenger, program, ruleset, first, rated=False, control=control
    )


async def start(site: Site, connected: Connected, challenger: Player = BOB, **terms: Any) -> str:
    """Start a match against a program, which opens by default; return the match's key."""
    terms = {"first": First.OPPONENT, **terms}
    made = await challenge(site, connected, challenger, **terms)
    answered = await connected.post(f"/challenges/{made.id}", answer="accept")
    assert answered.status == 200
    key: str = answered.value["match"]
    return key
