"""Registers the commands with Discord."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import structlog

from bot.discord.gateway.dispatcher import CommandTree
from bot.discord.interaction.translator import CommandTranslator
from bot.discord.ui.markdown import CommandMentions
from bot.storage import Storage

_LOG = structlog.get_logger(__name__)
#: The key under which the registered commands are stored.
_KEY = "registered-commands"
#: The type of the command that Discord adds for Activities. No list of commands may omit it.
_ENTRY_POINT = 4
#: Fields of a command that Discord returns but does not accept.
_READ_ONLY = frozenset({"application_id", "version", "name_localized", "description_localized"})


@dataclass
class Registration:
    storage: Storage
    command_mentions: CommandMentions

    async def register(self, tree: CommandTree) -> None:
        """Register the commands if they have changed, or if Discord lists others than those last registered.

        The payloads are raw, because discord.py's classes drop parts of them.
        """
        translator = CommandTranslator()
        await tree.set_translator(translator)
        ours = [await command.get_translated_payload(tree, translator) for command in tree.get_commands()]
        digest = hashlib.sha256(json.dumps(ours, sort_keys=True).encode()).hexdigest()
        client = tree.client
        application_id = client.application_id
        assert application_id is not None, "the client has logged in"
        found: list[Any] = [*await client.http.get_global_commands(application_id)]
        async with self.storage.read() as tx:
            registered = await tx.key_values.get(_KEY)
        if registered != _fingerprint(digest, found):
            kept = [
                {key: value for key, value in command.items() if key not in _READ_ONLY}
                for command in found
                if command["type"] == _ENTRY_POINT
            ]
            found = [*await client.http.bulk_upsert_global_commands(application_id, [*ours, *kept])]
            async with self.storage.transaction() as tx:
                await tx.key_values.set(_KEY, _fingerprint(digest, found))
            _LOG.info("commands_registered", count=len(found))
        self.command_mentions.note(found)


def _fingerprint(digest: str, commands: Iterable[Any]) -> str:
    """The digest of the bot's commands, and the ids that Discord has given them."""
    return " ".join([digest, *sorted(command["id"] for command in commands if command["type"] != _ENTRY_POINT)])
