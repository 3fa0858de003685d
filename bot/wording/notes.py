"""Sentences about notes on matches."""

from bot.texts import gettext as _


def about() -> str:
    return _("Nobody else can read it. An empty note is deleted.")
