"""Lists that are shown page by page; pages are counted from 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from bot.discord.ui.messages import ActionButton, Press
from bot.domain.matches import page_number

_Item = TypeVar("_Item")


def page_of(items: Sequence[_Item], page: int, most: int) -> tuple[Sequence[_Item], int, int]:
    """What a page with at most so many items shows, its number, and the number of pages."""
    page, pages = page_number(page, len(items), most)
    return items[(page - 1) * most : page * most], page, pages


def turners(action: str, subject: int, page: int, pages: int, argument: str = "") -> tuple[ActionButton, ...]:
    """The buttons that turn pages; none if there is only one page."""
    if pages == 1:
        return ()
    return (
        ActionButton(Press(action, subject, page - 1, argument), "◀", disabled=page == 1),
        ActionButton(Press(action, subject, page + 1, argument), "▶", disabled=page == pages),
    )
