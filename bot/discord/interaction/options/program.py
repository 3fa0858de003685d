"""The option ``program``, with suggestions."""

from __future__ import annotations

from typing import Any

from discord import app_commands

from bot.discord.interaction.interactions import (
    Choices,
    Interaction,
    TypedOption,
    choice,
    chosen,
    distinct,
    suggestions,
)
from bot.services.people.programs import Programs
from bot.wording import words


class ProgramOption(TypedOption):
    """A program by its number, as suggested, or by name, for commands of features with ``programs``."""

    async def transform(self, interaction: Interaction, typed: str) -> str:
        return chosen(typed, await self._labels(interaction)) or typed.strip()

    @suggestions
    async def autocomplete(self, interaction: Interaction, current: Any) -> Choices:
        labels = await self._labels(interaction)
        wanted = current.strip().casefold()
        return [choice(name, number) for number, name in labels.items() if wanted in name.casefold()]

    async def _labels(self, interaction: Interaction) -> dict[str, str]:
        """The names of the programs on the server, by number."""
        assert isinstance(interaction.command, app_commands.Command)
        feature: Any = interaction.command.binding
        programs: Programs = feature.programs
        found = await programs.on_server(interaction.guild_id)
        return distinct({str(each.id): words.plain_name(each) for each in found})


ProgramName = app_commands.Transform[str, ProgramOption]
