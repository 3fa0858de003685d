"""Lists shown page by page; the first page is number 1."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from bot.discord.ui.messages import ActionButton
from bot.discord.ui.presses import Press
from bot.domain.matches import page_number

_Item = TypeVar("_Item")


def page_of(items: Sequence[_Item], page: int, most: int) -> tuple[Sequence[_Item], int, int]:
    """The items of a page, its number, and the number of pages."""
    page, pages = page_number(page, len(items), most)
    return items[(page - 1) * most : page * most], page, pages


def turners(press: Callable[[int], Press], page: int, pages: int) -> tuple[ActionButton, ...]:
    """The buttons to the pages before and after, each with its ``press``; none for a single page."""
    if pages == 1:
        return ()
    return (
        ActionButton(press(page - 1), "◀", disabled=page == 1),
        ActionButton(press(page + 1), "▶", disabled=page == pages),
    )
