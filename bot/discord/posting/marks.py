"""The buttons by which the latest card of a match is recognized in a channel."""

from __future__ import annotations

from collections.abc import Iterable

from bot.discord.ui.messages import Press, presses_of
from bot.domain.matches import Match

#: The actions of buttons that only the latest card of a match has among what everybody sees.
_MARKS = ("next-game", "review", "again", "propose", "more")


def mark(match: Match) -> Press:
    """What stands behind a button that the card of a match has for everybody as long as it is the latest one."""
    return Press("next-game", match.id) if match.result is not None else Press("more", match.id, match.step)


def is_latest(found: Press, match: Match) -> bool:
    """Whether a mark is that of the latest card of the match."""
    return found.action != "more" if match.result is not None else found == mark(match)


def is_older(found: Press, match: Match) -> bool:
    """Whether a mark is that of an earlier card of the match."""
    return found.action == "more" and (match.result is not None or found.step < match.step)


def mark_of(components: Iterable[object], match_id: int) -> Press | None:
    """The mark of a message; None if it is no card of that match, or one that has lost its buttons."""
    marks = (press for press in presses_of(components) if press.subject == match_id and press.action in _MARKS)
    return next(marks, None)
