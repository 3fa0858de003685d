"""The buttons by which a command goes on with one of several matches that fit."""

from __future__ import annotations

from discord import app_commands

from bot.discord import replies
from bot.discord.cards.match_choice import unpack
from bot.discord.errors import outdated_button
from bot.discord.feature import Feature, handles
from bot.discord.interactions import Interaction
from bot.discord.messages import Press


class MatchChoice(Feature):
    @handles("with-match")
    async def go_on(self, interaction: Interaction, press: Press) -> None:
        """Carry out the command for the match that was chosen, as if it had been named."""
        command = interaction.client.tree.get_command(press.argument.partition(".")[0])
        options = unpack(command, press.argument) if isinstance(command, app_commands.Command) else None
        if options is None:
            raise outdated_button()
        match = press.values[0] if press.values else str(press.subject)
        replies.answer_in_place(interaction)
        await command.callback(command.binding, interaction, match=match, **options)
