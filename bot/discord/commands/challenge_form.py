"""The entry "Challenge…" in the menu of a user, which opens a private panel to put a challenge together."""

from __future__ import annotations

from dataclasses import replace

import discord
from discord import app_commands

import rules
from bot.discord import replies
from bot.discord.cards.challenge_form import Offer, offer_panel
from bot.discord.commands.challenge import check_challenge, offer_game
from bot.discord.errors import RefusalError
from bot.discord.interactions import Interaction, player_of
from bot.discord.messages import Press
from bot.discord.replies import DISCORD_FAILURES
from bot.domain.challenges import First
from bot.texts import gettext as _


@app_commands.context_menu(name="Challenge…")
async def challenge_user(interaction: Interaction, opponent: discord.Member | discord.User) -> None:
    await check_challenge(interaction, opponent)
    offer = Offer(opponent.id, rules.ruleset(next(iter(rules.GAMES))))
    await replies.tell(interaction, offer_panel(offer, player_of(opponent)))


async def change_offer(interaction: Interaction, press: Press) -> None:
    """A menu of the panel, or the button that sends the challenge."""
    offer = Offer.of(press)
    opponent = await _opponent(interaction, offer.opponent_id)
    chosen = next(iter(press.values), "")
    match press.action:
        case "offer-send":
            shown = await offer_game(
                interaction, opponent, offer.ruleset, offer.first, rated=offer.rated, control=offer.control
            )
            if shown:
                await replies.replace(interaction, _("✅ The challenge is in the channel."))
            return
        case "offer-game":
            offer = replace(offer, ruleset=rules.ruleset(chosen))
        case "offer-size":
            offer = replace(offer, ruleset=replace(offer.ruleset, size=int(chosen)))
        case "offer-variant":
            offer = replace(offer, ruleset=replace(offer.ruleset, variant=chosen))
        case "offer-first":
            offer = replace(offer, first=First(chosen))
        case "offer-clock":
            offer = replace(offer, clock=chosen)
        case "offer-rated":
            offer = replace(offer, rated=chosen == "1")
    await replies.replace(interaction, offer_panel(offer, player_of(opponent)))


async def _opponent(interaction: Interaction, user_id: int) -> discord.Member | discord.User:
    """The user as they are now: they may have left since the panel was opened."""
    client, guild_id = interaction.client, interaction.guild_id
    guild = None if guild_id is None else client.get_guild(guild_id)
    try:
        return await (client.fetch_user(user_id) if guild is None else guild.fetch_member(user_id))
    except discord.NotFound:
        raise RefusalError(_("That person is no longer here, so you cannot challenge them.")) from None
    except DISCORD_FAILURES:
        raise RefusalError(_("I cannot reach Discord to look that person up. Please try again.")) from None
