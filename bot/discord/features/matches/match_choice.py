"""The choice of a match when a command fits several."""

from __future__ import annotations

from typing import Any

from discord import app_commands

from bot.discord.interaction.feature import Feature, handles
from bot.discord.interaction.interactions import Interaction
from bot.discord.ui.match_choice import WithMatch, unpack
from bot.discord.ui.presses import OutdatedPressError


class MatchChoiceButtons(Feature):
    @handles(WithMatch)
    async def go_on(self, interaction: Interaction, press: WithMatch) -> None:
        """Carry out the command for the chosen match."""
        command = interaction.client.tree.get_command(press.command)
        if not isinstance(command, app_commands.Command):
            raise OutdatedPressError
        options = unpack(command, press.options)
        callback: Any = command.callback
        await callback(command.binding, interaction, match=str(press.match_id), **options)
