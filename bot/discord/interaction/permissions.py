"""Checks before a challenge is posted in a channel: what the bot may do there, and whether the opponent sees it."""

from __future__ import annotations

import discord

from bot.discord.interaction.errors import RefusalError
from bot.discord.interaction.interactions import Interaction, alone, is_computer, may_grant, player_of
from bot.discord.transport.sender import is_absent
from bot.domain.challenges import SelfChallengeError
from bot.texts import gettext as _, gettext_noop
from bot.wording import words

#: The permissions that the bot needs for a card, with their names on Discord.
_NEEDED = {
    "view_channel": gettext_noop("View Channel"),
    "send_messages": gettext_noop("Send Messages"),
    "attach_files": gettext_noop("Attach Files"),
}
_NEEDED_IN_THREADS = {
    "view_channel": gettext_noop("View Channel"),
    "send_messages_in_threads": gettext_noop("Send Messages in Threads"),
    "attach_files": gettext_noop("Attach Files"),
}


async def check_challenge(interaction: Interaction, opponent: discord.Member | discord.User | None) -> None:
    """Refuse a challenge that nobody could see or accept, before anything is stored."""
    if is_computer(interaction, opponent):
        check_permissions(interaction)
        return
    if alone(interaction):
        raise RefusalError(
            _(
                "Here you can only play the computer. Challenge a friend on a server or, once you have added me "
                "to your account, in your conversation with them."
            )
        )
    if opponent is not None and opponent.id == interaction.user.id:
        raise SelfChallengeError
    check_permissions(interaction)
    if opponent is not None:
        await _check_opponent(interaction, opponent)


def check_for_program(interaction: Interaction) -> None:
    """Refuse a challenge to a program where its turns could not be shown."""
    if interaction.guild_id is None or is_absent(interaction):
        raise RefusalError(_("Programs play only on servers that I have joined. Challenge one there."))
    check_permissions(interaction)


def check_permissions(interaction: Interaction) -> None:
    """Refuse to play in a channel where the bot lacks a permission that its cards need."""
    if alone(interaction):
        return  # nobody can take permissions away there
    if is_absent(interaction):
        if interaction.guild_id is not None and not interaction.permissions.use_external_apps:
            raise RefusalError(
                _("Only you can see what I show on this server. To play here, ask a moderator to add me.")
            )
        return
    needed = _NEEDED_IN_THREADS if isinstance(interaction.channel, discord.Thread) else _NEEDED
    missing = [_(label) for name, label in needed.items() if not getattr(interaction.app_permissions, name)]
    if missing:
        text = _("I may not play in this channel. Try another one, or ask a moderator.")
        if may_grant(interaction):
            text = _("I cannot play in this channel yet. Give me these permissions here: {permissions}.")
        raise RefusalError(text.format(permissions=", ".join(missing)))


async def _check_opponent(interaction: Interaction, opponent: discord.Member | discord.User) -> None:
    name = words.name(player_of(opponent))
    if opponent.bot:
        raise RefusalError(
            _("{player} is a bot, and I am the only bot that plays here. Challenge a person, or me.").format(
                player=name
            )
        )
    if interaction.guild_id is None:
        return  # Discord does not tell bots who is in a conversation
    if not isinstance(opponent, discord.Member):
        if is_absent(interaction) and interaction.message is not None:
            return  # Discord offers only members, whom the bot cannot look up here
        raise RefusalError(
            _("{player} is not on this server. Invite them first, or challenge someone else.").format(player=name)
        )
    channel = interaction.channel
    permissions = opponent.resolved_permissions
    if permissions is None and isinstance(channel, discord.abc.GuildChannel | discord.Thread):
        permissions = channel.permissions_for(opponent)
    sees = permissions is None or permissions.view_channel
    if sees and isinstance(channel, discord.Thread) and channel.is_private():
        try:
            await channel.fetch_member(opponent.id)
        except discord.NotFound:
            sees = permissions is not None and permissions.manage_threads
        except discord.HTTPException:
            pass  # unknown, so let them try
    if not sees:
        raise RefusalError(
            _("{player} cannot see this channel. Challenge them in a channel that you share.").format(player=name)
        )
