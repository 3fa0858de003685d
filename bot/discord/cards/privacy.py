"""The panel in which players block others, and export or delete their data."""

from __future__ import annotations

from typing import Any

import discord

from bot.discord.messages import ActionButton, Document, Message, Press, compose, entity_menu
from bot.services.archive import Part
from bot.services.privacy import CHALLENGES_KEPT, MOST_BLOCKED
from bot.texts import gettext as _


def privacy_button() -> ActionButton:
    """The button of the settings that opens the panel."""
    return ActionButton(Press("privacy", 0), _("Privacy"))


def privacy_panel(blocked: list[int]) -> Message:
    """The panel of a player who has blocked the players with these ids."""
    users: discord.ui.UserSelect[Any] = discord.ui.UserSelect(
        placeholder=_("Blocked players: none"),
        min_values=0,
        max_values=MOST_BLOCKED,
        default_values=[
            discord.SelectDefaultValue(id=each, type=discord.SelectDefaultValueType.user)
            for each in blocked[:MOST_BLOCKED]
        ],
    )
    return compose(
        _("### 🔒 Privacy"),
        _(
            "Players you block can no longer challenge you, accept your challenges or propose anything to you, and you "
            "cannot challenge them or accept their challenges. You cannot join the same tournaments either. Running "
            "matches go on."
        ),
        footer=_(
            "I store your Discord ID, your names, your challenges, matches and tournaments, your ratings, your "
            "settings and whom you have blocked, but none of your messages. Nicknames are only shown on their own "
            "server. Challenges that nobody accepts are deleted after about {days} days."
        ).format(days=CHALLENGES_KEPT.days),
        menus=(entity_menu(Press("block", 0), users),),
        buttons=(
            ActionButton(Press("get-data", 0), _("Get my data")),
            ActionButton(Press("delete-data", 0), _("Delete my data"), discord.ButtonStyle.danger),
        ),
    )


def data_card(part: Part) -> Message:
    """A file of the player's data."""
    if not part.last:
        text = _("Part {number} of everything I store about you.")
    elif part.number > 1:
        text = _("Part {number} of everything I store about you. This is the last part.")
    else:
        text = _("This is everything I store about you.")
    return compose(text.format(number=part.number), document=Document(part.filename, part.data))


def delete_question(running: int) -> Message:
    """Ask a player with so many running matches to confirm the deletion."""
    resigned = _("You resign your running matches, so your opponents win them.") if running else ""
    return compose(
        _("### Delete your data?"),
        _(
            "Your names, settings, blocks and places on leaderboards are deleted, your open challenges are closed, and "
            "you leave your tournaments. Finished matches stay, because they are your opponents' matches too, but they "
            "show you as “a deleted player”. Players who have blocked you keep that block. This cannot be undone."
        ),
        resigned,
        buttons=(
            ActionButton(Press("delete-now", 0), _("Yes, delete everything"), discord.ButtonStyle.danger),
            ActionButton(Press("privacy", 0), _("Keep it")),
        ),
    )
