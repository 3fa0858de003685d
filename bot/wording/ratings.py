"""Ratings in words and numbers."""

from __future__ import annotations

import render
import rules
from bot.domain.competitions.leaderboards import Results, Totals
from bot.domain.matches import Game, Match
from bot.domain.ratings import OVERALL, START, Rating, RatingChange
from bot.texts import ngettext
from bot.wording import words
from bot.wording.sentence import Sentence, gettext as _, joined
from render.colours import Theme


def rating(value: Rating) -> str:
    """A rating with its uncertainty, such as ``1512 ± 90``, or ``1512? ± 90`` while it is provisional."""
    return _unbroken(f"{round(value.value)}{'?' if value.provisional else ''} ± {round(value.deviation)}")


def change(rated: RatingChange) -> str:
    """A rating after a match with its change, such as ``1530 ± 88 (+18)``."""
    difference = round(rated.after.value) - round(rated.before.value)
    signed = f"+{difference}" if difference > 0 else f"−{-difference}" if difference else "±0"
    return _unbroken(f"{rating(rated.after)} ({signed})")


def _unbroken(text: str) -> str:
    """The text with no-break spaces."""
    return text.replace(" ", "\N{NO-BREAK SPACE}")


def changes(game: Game) -> Sentence:
    """The rating changes after a match, or the reason for none; empty if that is obvious."""
    match = game.match
    if match.rating_changes:
        ordered = sorted(match.rating_changes, key=lambda rated: rated.player_id != game.players[0].id)
        changed = (joined(words.name(match.player(rated.player_id)), change(rated)) for rated in ordered)
        return joined("📈", joined(*changed, by=" · "))
    if match.result is None or not match.result.counts:
        return Sentence()
    if match.computer is not None:
        return _("Matches against the computer do not change your ratings.")
    if not match.rated:
        return _("This was a casual match, so ratings do not change.")
    return _("It ended before both players had made two turns, so ratings do not change.")


def explanation(match: Match) -> Sentence:
    """An explanation of ratings after a match that gave a player the first one; empty after other matches."""
    if not any(change.is_first for change in match.rating_changes):
        return Sentence()
    return _(
        "Everyone starts at {start}, and a win against a stronger player counts for more. ± is how uncertain a rating "
        "is; a ? marks one that still changes quickly, usually for the first seven matches."
    ).format(start=round(START))


def results(totals: Results | Totals) -> str:
    """The numbers of wins, draws and losses in words; zeros are left out."""
    wins, draws, losses = totals.wins, totals.draws, totals.losses
    counted = [
        (wins, ngettext("{count} win", "{count} wins", wins)),
        (draws, ngettext("{count} draw", "{count} draws", draws)),
        (losses, ngettext("{count} loss", "{count} losses", losses)),
    ]
    return ", ".join(_unbroken(text.format(count=count)) for count, text in counted if count)


def game_title(game: str) -> str:
    return _("All games") if game == OVERALL else rules.GAMES[game].title


def theme_of(game: str, theme_name: str) -> Theme:
    """The colours of pictures about a game; for all games, the colours of the first game."""
    return render.FACES[game or next(iter(render.FACES))].themes[theme_name]
