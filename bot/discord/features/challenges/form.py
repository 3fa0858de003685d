"""Challenges by buttons, from the lobby or from the entry “Challenge…” in the menu of a user."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, replace

import discord
from discord import app_commands

import rules
from bot.discord.features.challenges.sender import ChallengeSender
from bot.discord.features.challenges.terms import (
    ANYBODY,
    ChallengeAnybody,
    ChallengeForm,
    ChangeForm,
    ChooseBoard,
    ChooseComputer,
    ChooseOpponent,
    FormPress,
    SendChallenge,
    challenge_form,
    game_choice,
    opponent_choice,
)
from bot.discord.interaction.errors import RefusalError
from bot.discord.interaction.feature import Command, handles
from bot.discord.interaction.interactions import Interaction, alone, is_computer, place_of, player_of, roles_of
from bot.discord.interaction.permissions import check_challenge
from bot.discord.transport import replies
from bot.discord.transport.replies import DISCORD_FAILURES
from bot.discord.ui.links import StartGame
from bot.discord.ui.messages import Message
from bot.discord.ui.scenes import private_look
from bot.services.settings import Settings
from bot.texts import gettext as _


@dataclass
class ChallengeFormCommands(ChallengeSender):
    """The questions from the lobby, the entry in the menu of a user, and the form to which both lead."""

    settings: Settings

    @property
    def commands(self) -> Iterator[Command]:
        yield from super().commands
        yield app_commands.ContextMenu(name="Challenge…", callback=self.open)

    async def open(self, interaction: Interaction, opponent: discord.Member | discord.User) -> None:
        await check_challenge(interaction, opponent)
        form = ChallengeForm(opponent.id, rules.ruleset(next(iter(rules.GAMES))))
        await replies.tell(interaction, await self._form(interaction, form, opponent))

    @handles(StartGame)
    async def begin(self, interaction: Interaction, press: StartGame) -> None:
        """Ask for the game, or for the opponent if the game is known; unless the user cannot play here.

        In their conversation with the bot, that is the only opponent.
        """
        me = interaction.client.user if alone(interaction) else None
        await check_challenge(interaction, me)
        parent_id = await self.access.thread_parent(interaction)
        await self.challenges.check(place_of(interaction), parent_id, roles_of(interaction))
        theme = await self._theme(interaction)
        if press.game is not None:
            form = ChallengeForm(ANYBODY if me is None else me.id, rules.ruleset(press.game.name))
            if me is not None:
                card = await self._form(interaction, form, me)
            else:
                card = await asyncio.to_thread(opponent_choice, form, theme)
        else:
            card = await asyncio.to_thread(game_choice, theme)
        await replies.show(interaction, card)

    @handles(ChooseBoard)
    async def choose_board(self, interaction: Interaction, press: ChooseBoard) -> None:
        """Show the size of the board that was chosen."""
        theme = await self._theme(interaction)
        await replies.replace(interaction, await asyncio.to_thread(opponent_choice, press.form, theme))

    @handles(ChooseComputer)
    async def choose_computer(self, interaction: Interaction, press: ChooseComputer) -> None:
        """Ask for the level of the computer."""
        me = interaction.client.user
        assert me is not None
        form = replace(press.form, opponent_id=me.id)
        await check_challenge(interaction, me)
        await replies.replace(interaction, await self._form(interaction, form, me))

    @handles(ChooseOpponent, ChallengeAnybody)
    async def choose_opponent(self, interaction: Interaction, press: FormPress) -> None:
        """Show the terms for the chosen opponent, or for anybody if nobody was chosen."""
        opponents = press.opponents if isinstance(press, ChooseOpponent) else ()
        form = replace(press.form, opponent_id=next(iter(opponents), ANYBODY))
        opponent = await _opponent(interaction, form.opponent_id)
        await check_challenge(interaction, opponent)
        await replies.replace(interaction, await self._form(interaction, form, opponent))

    @handles(ChangeForm)
    async def change(self, interaction: Interaction, press: ChangeForm) -> None:
        opponent = await _opponent(interaction, press.changed.opponent_id)
        await replies.replace(interaction, await self._form(interaction, press.changed, opponent))

    @handles(SendChallenge)
    async def send_form(self, interaction: Interaction, press: SendChallenge) -> None:
        """Send the challenge."""
        form = press.form
        opponent = await _opponent(interaction, form.opponent_id)
        if await self.send(interaction, opponent, form.ruleset, form.first, rated=form.rated, control=form.control):
            await replies.replace(interaction, _("✅ The challenge is in the channel."))

    async def _theme(self, interaction: Interaction) -> str:
        return private_look(await self.settings.preferences(interaction.user.id)).theme

    async def _form(
        self, interaction: Interaction, form: ChallengeForm, opponent: discord.Member | discord.User | None
    ) -> Message:
        """The terms for an opponent, for anybody, or for the computer, of which the level is still to be chosen."""
        if is_computer(interaction, opponent):
            return await self.against_computer.level_form(interaction, form)
        return challenge_form(form, None if opponent is None else player_of(opponent))


async def _opponent(interaction: Interaction, user_id: int) -> discord.Member | discord.User | None:
    """The user as they are now: they may have left since the form was opened. None stands for anybody."""
    if user_id == ANYBODY:
        return None
    client, guild_id = interaction.client, interaction.guild_id
    guild = None if guild_id is None else client.get_guild(guild_id)
    try:
        if guild is None:
            user: discord.User = await client.fetch_user(user_id)
            return user
        member: discord.Member = await guild.fetch_member(user_id)
    except discord.NotFound:
        raise RefusalError(_("That person is no longer here, so you cannot challenge them.")) from None
    except DISCORD_FAILURES:
        raise RefusalError(_("I cannot reach Discord to look that person up. Please try again.")) from None
    return member
