"""The panel on which players block others and look after what is kept of them."""

from __future__ import annotations

from typing import Any

import discord

from bot.discord.messages import ActionButton, Document, Message, Press, compose, entity_menu
from bot.services.archive import Part
from bot.services.matches import CHALLENGES_KEPT
from bot.services.privacy import MOST_BLOCKED
from bot.texts import gettext as _


def privacy_button() -> ActionButton:
    """Opens the panel, from the settings."""
    return ActionButton(Press("privacy", 0), _("Privacy"))


def privacy_panel(blocked: list[int]) -> Message:
    """The panel; ``blocked`` are the ids of the players whom the viewer has blocked."""
    users: discord.ui.UserSelect[Any] = discord.ui.UserSelect(
        placeholder=_("Blocked players: nobody"),
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
            "Whom you choose here can no longer challenge you or take your challenges, nor you theirs. Matches that "
            "are running go on."
        ),
        footer=_(
            "I keep your Discord id, your names, your matches and your settings, and nothing of your messages. "
            "Nicknames are shown on their server only; challenges that come to nothing are forgotten after {days} days."
        ).format(days=CHALLENGES_KEPT.days),
        menus=(entity_menu(Press("block", 0), users),),
        buttons=(
            ActionButton(Press("get-data", 0), _("Get my data")),
            ActionButton(Press("delete-data", 0), _("Delete my data"), discord.ButtonStyle.danger),
        ),
    )


def data_card(part: Part) -> Message:
    """A file of what is kept of the player."""
    if not part.last:
        text = _("Part {number} of all that I keep of you.")
    elif part.number > 1:
        text = _("Part {number} of all that I keep of you; this is the last one.")
    else:
        text = _("This is all that I keep of you.")
    return compose(text.format(number=part.number), document=Document(part.filename, part.data))


def delete_question(running: int) -> Message:
    """Asks the player whether they mean it; ``running`` is how many of their matches are not over."""
    given_up = _("Your running matches are given up, and your opponents win.") if running else ""
    return compose(
        _("### Delete your data?"),
        _(
            "Your name, settings, blocks and ratings go, and you leave your tournaments. Your finished games stay for "
            "your opponents' sake, as those of “a deleted player”, and who has blocked you keeps that. This cannot be "
            "undone."
        ),
        given_up,
        buttons=(
            ActionButton(Press("delete-now", 0), _("Yes, delete everything"), discord.ButtonStyle.danger),
            ActionButton(Press("privacy", 0), _("Keep it")),
        ),
    )


def void_result_question(match_id: int) -> Message:
    """Asks a moderator whether to take a finished match out of the count."""
    return compose(
        _("Void the result of match #{match}? It then counts for nobody; its board stays.").format(match=match_id),
        buttons=(
            ActionButton(Press("void-result", match_id), _("Void the result"), discord.ButtonStyle.danger),
            ActionButton(Press("keep-result", match_id), _("Keep it")),
        ),
    )


def void_button(match_id: int) -> ActionButton:
    """What moderators see beside a finished match that only they look at."""
    return ActionButton(Press("ask-void-result", match_id), _("Void result"))
