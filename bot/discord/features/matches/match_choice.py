"""The buttons by which a command goes on with one of several matches that fit."""

from __future__ import annotations

from functools import partial
from typing import Any

from discord import app_commands

from bot.discord.interaction.feature import Feature, handles
from bot.discord.interaction.interactions import Interaction
from bot.discord.transport import replies
from bot.discord.ui.match_choice import unpack
from bot.discord.ui.messages import OutdatedPressError, Press, read


class MatchChoice(Feature):
    @handles("with-match")
    async def go_on(self, interaction: Interaction, press: Press) -> None:
        """Carry out the command for the match that was chosen, as if it had been named."""
        command = interaction.client.tree.get_command(press.argument.partition(".")[0])
        if not isinstance(command, app_commands.Command):
            raise OutdatedPressError
        options = read(partial(unpack, command), press.argument)
        match = press.chosen or str(press.subject)
        replies.answer_in_place(interaction)
        callback: Any = command.callback
        await callback(command.binding, interaction, match=match, **options)
