"""The first start of the bot on an empty database: it is the same in all worlds, so it is done once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from simcord import Env
from simcord.types import HttpLogEntry

import rules
from bot.app import Application
from bot.discord.gateway.dispatcher import CommandTree
from bot.wording import words
from tests.support.stored import get_memo

_REGISTERED = "registered-commands"


@dataclass(frozen=True)
class _Start:
    """What a first start has asked of Discord, registered and noted."""

    requests: list[HttpLogEntry]
    commands: dict[Any, dict[str, Any]]
    ids: dict[str, int]
    memo: str

    async def repeat(self, env: Env, app: Application) -> None:
        for command in self.commands.values():
            env.backend.reserve_id(int(command["id"]))
        env.backend.commands[None] = self.commands
        env.backend.http_requests += self.requests
        words.COMMAND_IDS.update(self.ids)
        async with app.storage.transaction() as tx:
            await tx.memos.set(_REGISTERED, self.memo)
        await app.privacy.schedule_purge()


#: The first starts of bots, by their games and commands.
_STARTS: dict[tuple[str, ...], _Start] = {}


async def start(env: Env, app: Application) -> None:
    """Start the bot on a database with nothing in it."""
    key = (*rules.GAMES, *(command.name for command in app.client.tree.get_commands()))
    known = _STARTS.get(key)
    if known is not None:

        async def repeat(_tree: CommandTree) -> None:
            await known.repeat(env, app)

        app.lifecycle.start = repeat  # type: ignore[assignment, method-assign]
    await env.start()
    if known is None:
        memo = await get_memo(app.storage, _REGISTERED)
        assert memo is not None
        requests = [each for each in env.http_requests if each.path.endswith("/commands")]
        _STARTS[key] = _Start(requests, env.backend.commands[None], dict(words.COMMAND_IDS), memo)
