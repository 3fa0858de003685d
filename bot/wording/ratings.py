"""Ratings in words and numbers, and names as the pictures can show them."""

from __future__ import annotations

import unicodedata

from anyascii import anyascii

import render
import rules
from bot.domain.competitions.leaderboards import Results, Totals
from bot.domain.matches import Ending, Game, Match
from bot.domain.players import Player
from bot.domain.ratings import OVERALL, START, Rating, RatingChange
from bot.texts import gettext as _
from bot.wording import words
from render.canvas import has_glyph
from render.colours import Theme

#: The categories of characters that a picture omits if the font lacks them: symbols, marks and invisible ones.
_SHAPELESS = ("So", "Sk", "Mn", "Me", "Cf", "Cs", "Co", "Cn", "Cc")


def rating(of: Rating) -> str:
    """A rating with its uncertainty, such as ``1512 ± 90``; with a question mark while it is provisional."""
    return _unbroken(f"{round(of.value)}{'?' if of.provisional else ''} ± {round(of.deviation)}")


def change(of: RatingChange) -> str:
    """A rating after a match, and its change, such as ``1530 ± 88 (+18)``."""
    difference = round(of.after.value) - round(of.before.value)
    signed = f"+{difference}" if difference > 0 else f"−{-difference}" if difference else "±0"
    return _unbroken(f"{rating(of.after)} ({signed})")


def _unbroken(text: str) -> str:
    """The text, made so that no phone breaks it into lines."""
    return text.replace(" ", "\N{NO-BREAK SPACE}")


def changes(match: Match) -> str:
    """The changes of ratings after a match, or the reason for none; empty if that is obvious.

    A player's first rating is followed by an explanation of the numbers.
    """
    if match.rating_changes:
        line = " · ".join(f"{words.name(match.player(each.player_id))} {change(each)}" for each in match.rating_changes)
        first = any(each.is_first for each in match.rating_changes)
        return f"📈 {line}\n-# {_explanation()}" if first else f"📈 {line}"
    if match.result is None or not match.result.counts:
        return ""
    if match.computer is not None:
        return _("Matches against the computer do not change your ratings.")
    if not match.rated:
        return _("This was a casual match, so ratings do not change.")
    return _("It ended before both players had made two turns, so ratings do not change.")


def _explanation() -> str:
    return _(
        "Everyone starts at {start}, and a win against a stronger player counts for more. ± is how uncertain a rating "
        "is; a ? marks one that still changes quickly, usually for the first seven matches."
    ).format(start=round(START))


def results(of: Results | Totals) -> str:
    """Wins, draws and losses in the notation of chess players: ``+5 =1 −2``."""
    return _unbroken(f"+{of.wins} ={of.draws} −{of.losses}")


def game_title(game: str) -> str:
    return _("All games") if game == OVERALL else rules.GAMES[game].title


def drawable(player: Player) -> str:
    """The player's name in the letters of the pictures' font; the computer's name is short."""
    if player.level is not None:
        return f"Hexgrove {player.level}"
    return drawable_text(words.plain_name(player)) or _("somebody")


def drawable_text(text: str) -> str:
    """A name in the letters of the pictures' font; other scripts are transliterated."""
    name = unicodedata.normalize("NFC", text)
    letters = [each for each in name if has_glyph(each) or unicodedata.category(each) not in _SHAPELESS]
    drawn = "".join(each if has_glyph(each) else anyascii(each) for each in letters)
    return " ".join(drawn.split()) or " ".join(anyascii(name).replace(":", " ").split())


def theme_of(game: str, theme_name: str) -> Theme:
    """The colours of pictures about a game; for all games together, those of the first game."""
    return render.FACES[game or next(iter(render.FACES))].themes[theme_name]


def result(game: Game) -> str:
    """The result of a match, its score, and the changes of ratings."""
    assert game.match.result is not None
    ended = f"{words.result_emoji(game.match.result)} {words.result(game)}"
    score = words.score(game) if game.match.result.ending is Ending.RULES else ""
    return "\n".join(filter(None, [ended, score, changes(game.match)]))
