"""Reviews: the players' chances turn by turn in a finished match, and the turns that changed them most."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from bot.domain.computer import HINT_LEVEL, SearchRequest, SearchResult
from bot.domain.matches import AboutMatchError, Game
from rules import Position, Ruleset, Side
from rules.text import gettext_noop

#: The level that searches every position of a match: a fast one, because there are many positions.
_LEVEL = 3
#: Maximum positions searched in a match, enough for usual boards. More would keep others waiting.
_MOST_POSITIONS = 250
#: Maximum turning points, and the minimum loss of winning chance at each.
MOST_POINTS, _LEAST_LOSS = 3, 0.05
#: A side counts as lost up to this winning chance. Turns of a lost side are not turning points.
_LOST = 0.1
#: The number of turns searched again, as deeply as for a hint: a review must not blame a turn that a hint advised.
_SUSPECTS = 5
#: The length of the line shown after a better turn.
_LINE = 3


@dataclass(frozen=True, slots=True)
class TurningPoint:
    """A turn, number ``ply``, that lowered its player's chance of winning (0 to 1) from ``before`` to ``after``.

    ``better`` would have kept the chance, with ``line`` as a possible continuation. ``reply`` is the best answer to the
    turn played; None if the turn ended the game, and in reviews by versions that did not store it.
    """

    ply: int
    better: str
    line: tuple[str, ...]
    before: float
    after: float
    reply: str | None = None


@dataclass(frozen=True, slots=True)
class Review:
    """The first side's ``chances`` of winning after the choice of side and each later turn, and turning ``points``.

    Chances between searched positions are interpolated.
    """

    chances: tuple[float, ...]
    points: tuple[TurningPoint, ...]


def first_ply(game: Game) -> int:
    """The number of turns before the first reviewed turn: the opening and the choice of side, if the game has them."""
    return game.match.ruleset.plies_before_play


def can_review(ruleset: Ruleset, ply: int) -> bool:
    """Whether a match that ends after ``ply`` turns has turns to review."""
    return ply > ruleset.plies_before_play


def check_review(game: Game) -> None:
    """Raise unless the game is over and has turns to review."""
    if game.match.result is None:
        raise StillRunningError(game.match)
    if not can_review(game.match.ruleset, game.ply):
        raise NothingToReviewError(game.match)


def covers_every_turn(game: Game) -> bool:
    """Whether a review searches every position of a game, as it does unless the game is long."""
    return len(_plies(game)) <= _MOST_POSITIONS


def request_count(game: Game) -> int:
    """The approximate number of :func:`review_requests`."""
    return min(len(_plies(game)), _MOST_POSITIONS)


def review_requests(game: Game) -> list[SearchRequest]:
    """The searches for a review: every position with a player to act, from the choice of side on.

    In a long match, they are only the first and last positions, and the positions around the greatest changes. Replays
    the match: call it in a thread.
    """
    plies = _plies(game)
    if covers_every_turn(game):
        return [_request(game, ply, _LEVEL) for ply in plies]
    changed = _changed_most(game, plies[1:], (_MOST_POSITIONS - 2) // 2)
    chosen = {plies[0], plies[-1], *changed, *(ply - 1 for ply in changed)}
    return [_request(game, ply, _LEVEL) for ply in sorted(chosen)]


def deeper_requests(game: Game, found: Mapping[int, SearchResult]) -> list[SearchRequest]:
    """The deeper searches around the turns that seem to give away most.

    ``found`` are the results of :func:`review_requests`, by the number of turns played. Replays the game: call it in a
    thread.
    """
    positions = _positions(game)
    points = _points(game, positions, found, _chances(game, positions, found))
    losses = {point.ply: point.before - point.after for point in points}
    suspects = sorted(losses, key=lambda ply: -losses[ply])[:_SUSPECTS]
    plies = {at for ply in suspects for at in (ply - 1, ply)} & found.keys()
    return [_request(game, ply, HINT_LEVEL) for ply in sorted(plies)]


def review_of(game: Game, found: Mapping[int, SearchResult], again: Mapping[int, SearchResult]) -> Review:
    """The review of a game, from the results of the first and the deeper searches. Replays it: call it in a thread."""
    positions = _positions(game)
    chances = _chances(game, positions, {**found, **again})
    points = sorted(_points(game, positions, again, chances), key=lambda point: point.after - point.before)
    return Review(tuple(chances), tuple(sorted(points[:MOST_POINTS], key=lambda point: point.ply)))


def _plies(game: Game) -> range:
    """The numbers of turns after which a player was to act, from the choice of side on."""
    return range(first_ply(game), game.ply + 1 if game.outcome is None else game.ply)


def _changed_most(game: Game, plies: Sequence[int], count: int) -> list[int]:
    """The turn that changed the most cells, for each of ``count`` equal parts of the game."""
    position, changes = game.match.ruleset.start(), [0]
    for turn in game.turns:
        position, events = position.play(turn)
        changes.append(sum(len(event.changed_cells) for event in events))
    spans = (plies[len(plies) * at // count : len(plies) * (at + 1) // count] for at in range(count))
    return [max(span, key=changes.__getitem__) for span in spans]


def _request(game: Game, ply: int, level: int) -> SearchRequest:
    return SearchRequest(game.match.ruleset, game.turns[:ply], level, seed=0)


def _positions(game: Game) -> list[Position]:
    """The positions of a game, from the first reviewed position on."""
    positions = [game.match.ruleset.replay(game.turns[: first_ply(game)])]
    for turn in game.turns[first_ply(game) :]:
        positions.append(positions[-1].play(turn)[0])
    return positions


def _chances(game: Game, positions: Sequence[Position], found: Mapping[int, SearchResult]) -> list[float]:
    plies = enumerate(positions, first_ply(game))
    known = {ply: _turned(position.turn_of, found[ply].value) for ply, position in plies if ply in found}
    if game.outcome is not None:
        winner = game.outcome.winner
        known[game.ply] = 0.5 if winner is None else float(winner is Side.FIRST)
    chances = [known[first_ply(game)]]
    for (start, before), (end, after) in pairwise(known.items()):
        chances.extend(before + (after - before) * (ply - start) / (end - start) for ply in range(start + 1, end))
        chances.append(after)
    return chances


def _points(
    game: Game, positions: Sequence[Position], found: Mapping[int, SearchResult], chances: Sequence[float]
) -> Iterator[TurningPoint]:
    """The turns that gave something away, where the positions before and after were searched."""
    for at, (position, turn) in enumerate(zip(positions, game.turns[first_ply(game) :], strict=False)):
        ply = first_ply(game) + at + 1
        result, known = found.get(ply - 1), ply in found or (ply == game.ply and game.outcome is not None)
        before, after = (_turned(position.turn_of, chance) for chance in chances[at : at + 2])
        lost = before - after >= _LEAST_LOSS and before > _LOST and after < 1 - _LOST
        if result is not None and known and lost and not position.same_turn(turn, result.turn):
            reply = found[ply].turn if ply in found else None
            yield TurningPoint(ply, result.turn, result.line[1 : 1 + _LINE], before, after, reply)


def _turned(side: Side, chance: float) -> float:
    """Convert the first side's chance to the given side's, or back."""
    return 1 - chance if side else chance


class StillRunningError(AboutMatchError):
    template = gettext_noop("Match #{match} is still running. I review it when it is over.")


class NothingToReviewError(AboutMatchError):
    template = gettext_noop("Too few turns were played in match #{match} for a review.")


class StillReviewingError(AboutMatchError):
    template = gettext_noop("I am still reviewing match #{match} for you. Ask me again when that review is here.")
