"""Mentions of commands, which users can tap."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from discord import AppCommandOptionType
from markupsafe import escape

from bot.texts import pgettext
from bot.wording.quoting import as_code
from bot.wording.sentence import Sentence


class CommandMentions:
    """Mentions of the registered commands. Before the registration, they are plain names."""

    def __init__(self, registered: Iterable[Any] = ()) -> None:
        self._ids: dict[str, str] = {}
        self.note(registered)

    def note(self, registered: Iterable[Any]) -> None:
        """Note the commands that Discord has registered, with their ids."""
        for command in registered:
            self._ids[command["name"]] = command["id"]
            for option in command.get("options", ()):
                if option["type"] == AppCommandOptionType.subcommand.value:
                    self._ids[f"{command['name']} {option['name']}"] = command["id"]

    def of(self, name: str) -> Sentence:
        """A mention of a command, such as ``/move``; as plain text, the command as the reader types it."""
        if name not in self._ids:
            return as_code(f"/{name}")
        return Sentence(f"</{name}:{self._ids[name]}>", lambda: escape(_typed(name)))


def _typed(name: str) -> str:
    return f"/{' '.join(pgettext('name', part) for part in name.split())}"
