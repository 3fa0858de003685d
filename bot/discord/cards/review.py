"""The private cards of a review: who stood better, and the turning points."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import discord

import render
from bot.discord.cards import scenes, words
from bot.discord.cards.hint import share_of_wins, why
from bot.discord.cards.ratings import drawable
from bot.discord.cards.turn_builder import how_it_ends
from bot.discord.messages import LONGEST_DESCRIPTION, ActionButton, Message, Picture, Press, compose
from bot.domain.matches import Game, Match
from bot.domain.reviews import FIRST_PLY, MOST_POINTS, Review, TurningPoint, looks_at_all
from bot.services.reviews import PendingReview
from bot.texts import gettext as _
from bot.texts import ngettext
from render import charts, replay
from rules import PASS, Event, Position, Side
from rules.search import explain


def review_button(match: Match, ply: int = 0) -> ActionButton:
    """The button that has a match that is over reviewed, and shows the turn of that number if it decided something."""
    return ActionButton(Press("review", match.id, ply), _("Review"), emoji="🔍")


def progress_card(match: Match, pending: PendingReview) -> Message:
    """What is shown while a review is made."""
    text = ngettext(
        "I am thinking about match #{match}: {done} of {count} position.",
        "I am thinking about match #{match}: {done} of {count} positions.",
        pending.total,
    )
    text = f"🔍 {text.format(match=match.id, done=pending.done, count=pending.total)}"
    return compose(text, footer=_("You can leave; the review is kept."), buttons=(review_button(match),))


def failed_card(match: Match) -> Message:
    """What is shown when a review came to nothing."""
    return compose(_("The review came to nothing. Please try again."), buttons=(review_button(match),))


def review_card(game: Game, review: Review, look: render.Look) -> Message:
    """Who stood better turn by turn, and what the turning points were. This draws."""
    match = game.match
    shots = list(replay.shots(match.ruleset, game.turns))
    told = []
    for number, point in enumerate(review.points, 1):
        played = _then(game, shots[point.ply - 1])
        told.append(f"**{number}** · {words.turn_made(played)}. {_chances(played, point)}")
    assert match.result is not None
    return compose(
        _heading(game),
        f"{words.result_sign(match.result)} {words.ended(game)}",
        "\n".join(told),
        _remark(game, len(told)),
        picture=_chart(game, review, look),
        footer=_("This is what the computer thinks, and it can be wrong."),
        buttons=tuple(
            ActionButton(
                Press("review-point", match.id, number),
                _("Turning point {number}").format(number=number),
                discord.ButtonStyle.primary,
            )
            for number in range(1, len(review.points) + 1)
        ),
        more_buttons=(ActionButton(Press("replay", match.id, game.ply, "last"), _("Replay"), emoji="🎞️"),),
        colour=scenes.colour(match.ruleset.game),
    )


def _remark(game: Game, points: int) -> str:
    """Why there are no more turning points."""
    if not looks_at_all(game):
        return _("The match is long, so I looked only at the turns that changed most.")
    if points >= MOST_POINTS:
        return ""
    return _("No other turn gave much away.") if points else _("No turn gave much away.")


def point_card(game: Game, review: Review, number: int, look: render.Look, viewer_id: int) -> Message:
    """The turning point of that number: the turn that was played, and below it the better one, and why. This draws."""
    match, point = game.match, review.points[number - 1]
    before, played = (_then(game, shot) for shot in list(replay.shots(match.ruleset, game.turns[: point.ply]))[-2:])
    better = before.position.draft(point.better)
    turn = words.turn(before.position, point.better)
    yours = before.to_act is not None and before.to_act.id == viewer_id
    reasons = explain(before.position, point.better, instead_of=game.turns[point.ply - 1])
    advice = [
        _("Better: {turn}.").format(turn=turn),
        words.gains(better.events),
        how_it_ends(before.position, better.preview),
        why(before.position, better, reasons, yours=yours),
    ]
    if point.line:
        line = ", ".join(_told(better.preview, point.line))
        advice.append(_("Then perhaps {line}.").format(line=line))
    answer = ""
    if point.reply is not None:
        (reply,) = _told(played.position, (point.reply,))
        answer = _("The best answer: {line}.").format(line=reply)

    def picture(position: Position, events: tuple[Event, ...], which: str) -> Picture:
        shown = position, events, None, look
        png = render.picture(*shown, before=before.position, header=scenes.header(before))
        description = render.describe(*shown, before=before.position)
        return Picture(f"review-{match.id}-{point.ply}-{which}.png", png, description)

    def to(other: int, label: str) -> ActionButton:
        # Two buttons of a message never have the same id.
        inside = 0 < other <= len(review.points)
        return ActionButton(Press("review-point", match.id, other), label, disabled=not inside)

    return compose(
        _heading(game),
        f"**{number}** · {words.last_turn(played)}",
        f"{_chances(played, point)} {answer}".rstrip(),
        picture(played.position, played.events, "played"),
        " ".join(filter(None, advice)),
        picture(better.preview, better.events, "better"),
        buttons=(
            to(number - 1, "◀"),
            to(number + 1, "▶"),
            ActionButton(Press("review", match.id), _("Back")),
            ActionButton(Press("try", match.id, point.ply - 1), _("Try from here"), emoji="🧪"),
        ),
        colour=scenes.colour(match.ruleset.game),
    )


def _told(position: Position, line: Sequence[str]) -> Iterator[str]:
    """The turns of a line with their sides."""
    for turn in line:
        side = words.side(position.ruleset, position.turn_of)
        yield _("{side} passes").format(side=side) if turn == PASS else f"{side} {words.turn(position, turn)}"
        position, _events = position.play(turn)


def _heading(game: Game) -> str:
    return f"### 🔍 {game.match.ruleset.game.title} · {words.versus(game.match)}"


def _then(game: Game, shot: replay.Shot) -> Game:
    """The game as it was."""
    match = replace(game.match, ply=shot.ply, result=None, proposals=())
    return Game(match, game.turns[: shot.ply], shot.position, shot.events)


def _chances(played: Game, point: TurningPoint) -> str:
    """What the turn just ``played``, a turning point, did to its side's chances."""
    return _("{side}'s chance of winning: {before} before, {after} after.").format(
        side=words.side(played.match.ruleset, played.events[0].side),
        before=share_of_wins(point.before),
        after=_chance(played, point.ply, point.after),
    )


def _chance(game: Game, ply: int, chance: float) -> str:
    """A chance of winning after so many turns: as a search found it, or what a game that is played out has come to."""
    return words.share(chance) if ply == game.ply and game.outcome is not None else share_of_wins(chance)


def _chart(game: Game, review: Review, look: render.Look) -> Picture:
    match, face = game.match, render.face(game.match.ruleset.game)
    first, second = (drawable(game.player_of(side)) for side in Side)
    start, end = (_("turn {turn}").format(turn=ply) for ply in (FIRST_PLY, FIRST_PLY + len(review.chances) - 1))
    png = charts.standings(
        _("Who stood better"),
        f"{match.ruleset.game.title} · #{match.id}",
        review.chances,
        [point.ply - FIRST_PLY for point in review.points],
        (first, second),
        (start, end),
        face,
        face.themes[look.theme],
    )
    described = _("{side}'s chances of winning, turn by turn: {chances}.").format(
        side=words.side(match.ruleset, Side.FIRST),
        chances=", ".join(_chance(game, ply, chance) for ply, chance in enumerate(review.chances, FIRST_PLY)),
    )
    if len(described) > LONGEST_DESCRIPTION:
        described = described[: LONGEST_DESCRIPTION - 1] + "…"
    return Picture(f"review-{match.id}.png", png, described)
