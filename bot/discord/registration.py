"""Registers the commands with Discord."""

from __future__ import annotations

import hashlib
import json

import structlog
from discord import app_commands

from bot.discord.cards import words
from bot.discord.dispatcher import CommandTree
from bot.discord.translator import CommandTranslator
from bot.storage import Storage

_LOG = structlog.get_logger(__name__)
_MEMO = "registered-commands"


class Registration:
    def __init__(self, tree: CommandTree, storage: Storage) -> None:
        self._tree = tree
        self._storage = storage

    async def register(self) -> None:
        """Register the commands if they have changed since the last registration.

        The ids that Discord has are compared too, since somebody else may have removed commands.
        """
        translator = CommandTranslator()
        await self._tree.set_translator(translator)
        ours = [await command.get_translated_payload(self._tree, translator) for command in self._tree.get_commands()]
        digest = hashlib.sha256(json.dumps(ours, sort_keys=True).encode()).hexdigest()
        registered = await self._tree.fetch_commands()
        async with self._storage.read() as tx:
            noted = await tx.memos.get(_MEMO)
        if noted != _memo(digest, registered):
            registered = await self._tree.sync()
            async with self._storage.transaction() as tx:
                await tx.memos.set(_MEMO, _memo(digest, registered))
            _LOG.info("commands_registered", count=len(registered))
        words.COMMAND_IDS.update({command.name: command.id for command in registered})
        for command in registered:
            for part in command.options:
                if isinstance(part, app_commands.AppCommandGroup):
                    words.COMMAND_IDS[f"{command.name} {part.name}"] = command.id


def _memo(digest: str, commands: list[app_commands.AppCommand]) -> str:
    return " ".join([digest, *sorted(str(command.id) for command in commands)])
