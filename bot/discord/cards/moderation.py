"""What moderators see when they void the result of a finished match."""

from __future__ import annotations

import discord

from bot.discord.messages import ActionButton, Message, Press, compose
from bot.texts import gettext as _


def void_button(match_id: int) -> ActionButton:
    """The button beside a finished match, which only moderators see."""
    return ActionButton(Press("ask-void-result", match_id), _("Void result"))


def void_result_question(match_id: int) -> Message:
    return compose(
        _("Void the result of match #{match}? It no longer counts for anything then, but its board stays.").format(
            match=match_id
        ),
        buttons=(
            ActionButton(Press("void-result", match_id), _("Void the result"), discord.ButtonStyle.danger),
            ActionButton(Press("keep-result", match_id), _("Keep it")),
        ),
    )
