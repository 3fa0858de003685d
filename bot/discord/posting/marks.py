"""The buttons by which the latest card of a match is recognized in a channel."""

from __future__ import annotations

from collections.abc import Iterable

from bot.discord.posting.cards.proposal import Propose
from bot.discord.ui.links import AboutMatch, More, ReadReview
from bot.discord.ui.presses import presses_of
from bot.domain.matches import Match


class NextGame(AboutMatch, action="next-game"):
    pass


class Rematch(AboutMatch, action="again"):
    """Plays the computer again, at a level."""

    level: int


#: What only the buttons of the latest card of a match stand for among what everybody sees.
_MARKS = (NextGame, ReadReview, Rematch, Propose, More)


def mark(match: Match) -> NextGame | More:
    """The press of a button that everybody sees on the latest card of the match only."""
    return NextGame(match.id) if match.result is not None else More(match.id, match.step)


def is_latest(found: AboutMatch, match: Match) -> bool:
    """Whether a mark is that of the latest card of the match."""
    return not isinstance(found, More) if match.result is not None else found == mark(match)


def is_older(found: AboutMatch, match: Match) -> bool:
    """Whether a mark is that of an earlier card of the match."""
    return isinstance(found, More) and (match.result is not None or found.step < match.step)


def mark_of(components: Iterable[object], match_id: int) -> AboutMatch | None:
    """The mark of a message; None if it is no card of that match, or has lost its buttons."""
    marks = (press for press in presses_of(components, *_MARKS) if press.match_id == match_id)
    return next(marks, None)
