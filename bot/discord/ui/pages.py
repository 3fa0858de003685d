"""Lists that are shown page by page; pages are counted from 1."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from bot.discord.ui.messages import ActionButton
from bot.discord.ui.presses import Press
from bot.domain.matches import page_number

_Item = TypeVar("_Item")


def page_of(items: Sequence[_Item], page: int, most: int) -> tuple[Sequence[_Item], int, int]:
    """What a page with at most so many items shows, its number, and the number of pages."""
    page, pages = page_number(page, len(items), most)
    return items[(page - 1) * most : page * most], page, pages


def turners(press: Callable[[int], Press], page: int, pages: int) -> tuple[ActionButton, ...]:
    """The buttons that turn to the page before and after, each by its ``press``; none if there is only one page."""
    if pages == 1:
        return ()
    return (
        ActionButton(press(page - 1), "◀", disabled=page == 1),
        ActionButton(press(page + 1), "▶", disabled=page == pages),
    )
