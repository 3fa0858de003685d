"""The entry “Challenge…” in the menu of a user, which opens a private form for a challenge."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import discord
from discord import app_commands

import rules
from bot.discord import replies
from bot.discord.access import Access
from bot.discord.cards.challenge_form import ChallengeForm, challenge_form
from bot.discord.commands.challenge import ChallengeSender, check_challenge
from bot.discord.errors import RefusalError
from bot.discord.feature import Command, handles
from bot.discord.interactions import Interaction, player_of
from bot.discord.messages import Press
from bot.discord.presenter import Presenter
from bot.discord.replies import DISCORD_FAILURES
from bot.domain.challenges import First
from bot.services.challenges import Challenges
from bot.services.deliveries import Deliveries
from bot.texts import gettext as _


class ChallengeFormCommands(ChallengeSender):
    """The entry in the menu of a user, and the menus of the form that it opens."""

    def __init__(self, challenges: Challenges, deliveries: Deliveries, presenter: Presenter, access: Access) -> None:
        super().__init__(challenges, deliveries, presenter, access)
        self._menu = app_commands.ContextMenu(name="Challenge…", callback=self.open)

    @property
    def commands(self) -> Iterator[Command]:
        yield from super().commands
        yield self._menu

    async def open(self, interaction: Interaction, opponent: discord.Member | discord.User) -> None:
        await check_challenge(interaction, opponent)
        form = ChallengeForm(opponent.id, rules.ruleset(next(iter(rules.GAMES))))
        await replies.tell(interaction, challenge_form(form, player_of(opponent)))

    @handles("offer-game", "offer-size", "offer-variant", "offer-first", "offer-clock", "offer-rated")
    async def change(self, interaction: Interaction, press: Press) -> None:
        """Apply a choice from one of the menus."""
        form, chosen = ChallengeForm.of(press), next(iter(press.values), "")
        opponent = await _opponent(interaction, form.opponent_id)
        match press.action:
            case "offer-game":
                form = replace(form, ruleset=rules.ruleset(chosen))
            case "offer-size":
                form = replace(form, ruleset=replace(form.ruleset, size=int(chosen)))
            case "offer-variant":
                form = replace(form, ruleset=replace(form.ruleset, variant=chosen))
            case "offer-first":
                form = replace(form, first=First(chosen))
            case "offer-clock":
                form = replace(form, clock=chosen)
            case _:
                form = replace(form, rated=chosen == "1")
        await replies.replace(interaction, challenge_form(form, player_of(opponent)))

    @handles("offer-send")
    async def send_form(self, interaction: Interaction, press: Press) -> None:
        """Send the challenge."""
        form = ChallengeForm.of(press)
        opponent = await _opponent(interaction, form.opponent_id)
        if await self.send(interaction, opponent, form.ruleset, form.first, rated=form.rated, control=form.control):
            await replies.replace(interaction, _("✅ The challenge is in the channel."))


async def _opponent(interaction: Interaction, user_id: int) -> discord.Member | discord.User:
    """The user as they are now: they may have left since the form was opened."""
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
