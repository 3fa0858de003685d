"""The option ``program``, with suggestions."""

from __future__ import annotations

from typing import Any

from discord import app_commands

from bot.discord.interaction.interactions import Choices, Interaction, TypedOption, choice, suggestions
from bot.services.programs import Programs
from bot.wording import words


class ProgramOption(TypedOption):
    """A program by its number, as suggested, or by name, for commands of features with ``programs``."""

    async def transform(self, _interaction: Interaction, typed: str) -> str:
        return typed.strip()

    @suggestions
    async def autocomplete(self, interaction: Interaction, current: Any) -> Choices:
        assert isinstance(interaction.command, app_commands.Command)
        feature: Any = interaction.command.binding
        programs: Programs = feature.programs
        found = {words.plain_name(each): str(each.id) for each in await programs.on_server(interaction.guild_id)}
        return [choice(name, number) for name, number in found.items() if current.strip().casefold() in name.casefold()]


ProgramName = app_commands.Transform[str, ProgramOption]
