"""Mentions of commands, which users can tap."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from discord import AppCommandOptionType


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

    def of(self, name: str) -> str:
        """A mention of a command, such as ``/move``."""
        return f"</{name}:{self._ids[name]}>" if name in self._ids else f"`/{name}`"
