"""Sentences about reviews, and the chart of the chances."""

from __future__ import annotations

import render
from bot.domain.matches import Game, Match
from bot.domain.study.reviews import MOST_POINTS, Review, TurningPoint, covers_every_turn, first_ply
from bot.wording import words
from bot.wording.hints import share_of_wins, why
from bot.wording.sentence import Sentence, gettext as _, joined, ngettext
from bot.wording.turns import how_it_ends
from render.statistics import charts
from rules import PASS, Position, Side
from rules.search import explain


def progress(match: Match, done: int, count: int) -> str:
    text = ngettext(
        "Reviewing match #{match}: {done} of {count} position.",
        "Reviewing match #{match}: {done} of {count} positions.",
        count,
    )
    return text.format(match=match.id, done=done, count=count)


def is_kept() -> str:
    return _("No need to wait: the review is kept.")


def caution() -> str:
    return _("This is the computer's opinion, and it can be wrong.")


def remark(game: Game, points: int) -> str:
    """A remark on the other turns; empty after the maximum number of turning points."""
    if not covers_every_turn(game):
        return _("The match is long, so I reviewed only the turns that changed the most.")
    if points >= MOST_POINTS:
        return ""
    return _("No other turn gave much away.") if points else _("No turn gave much away.")


def chances(played: Game, before: float, after: float) -> str:
    """The chances of the side that played the last turn, before and after it."""
    return _("{side}'s chance of winning: {before} before, {after} after.").format(
        side=words.side(played.match.ruleset, played.events[0].side),
        before=share_of_wins(before),
        after=_chance(played, played.ply, after),
    )


def advice(before: Game, played: str, point: TurningPoint, *, yours: bool) -> Sentence:
    """The better turn at a turning point, with its reasons and a possible continuation."""
    better = before.position.draft(point.better)
    reasons = explain(before.position, point.better, instead_of=played)
    return joined(
        _("Better: {turn}.").format(turn=words.turn(before.position, point.better)),
        words.gains(better.events),
        how_it_ends(before.position, better.preview),
        why(before.position, better, reasons, yours=yours),
        _("Likely next: {line}.").format(line=_line(better.preview, *point.line)) if point.line else "",
    )


def answer(played: Game, point: TurningPoint) -> Sentence:
    """The best answer to the turn played at a turning point; empty after the end of the game."""
    if point.reply is None:
        return Sentence()
    side, turn = (words.side(played.match.ruleset, played.position.turn_of), words.turn(played.position, point.reply))
    return _("{side}'s best reply: {turn}.").format(side=side, turn=turn)


def chart(game: Game, review: Review, look: render.Look, titles: tuple[str, str] = ("", "")) -> bytes:
    """Draw a chart of the chances turn by turn, with a title and a subtitle: call it in a thread."""
    face, begins = render.face(game.match.ruleset.game), first_ply(game)
    first, second = (words.drawable_name(game.player_of(side)) for side in Side)
    start, end = (_("turn {turn}").format(turn=ply) for ply in (begins, begins + len(review.chances) - 1))
    return charts.winning_chances(
        *titles,
        review.chances,
        [point.ply - begins for point in review.points],
        (first, second),
        (start, end),
        face,
        face.themes[look.theme],
    )


def description(game: Game, review: Review) -> str:
    """The chart in words."""
    return _("{side}'s chances of winning, turn by turn: {chances}.").format(
        side=words.side(game.match.ruleset, Side.FIRST),
        chances=", ".join(_chance(game, ply, chance) for ply, chance in enumerate(review.chances, first_ply(game))),
    )


def _line(position: Position, *turns: str) -> Sentence:
    listed = []
    for turn in turns:
        side = words.side(position.ruleset, position.turn_of)
        listed.append(
            _("{side} passes").format(side=side) if turn == PASS else joined(side, words.turn(position, turn))
        )
        position, _events = position.play(turn)
    return joined(*listed, by=", ")


def _chance(game: Game, ply: int, chance: float) -> str:
    """The chance of winning after a turn; exact if the turn ended the game."""
    return words.share(chance) if ply == game.ply and game.outcome is not None else share_of_wins(chance)
