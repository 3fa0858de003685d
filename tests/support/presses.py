"""Presses read back from the ids of buttons."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TypeVar

from bot.discord.ui.presses import Press, presses_of

_Press = TypeVar("_Press", bound=Press)


def press_of(custom_id: str, *kinds: type[_Press]) -> _Press | None:
    """The press of a button with this id; None if it has another kind or is out of date."""
    return next(presses_of([SimpleNamespace(custom_id=custom_id)], *kinds), None)
