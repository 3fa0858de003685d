"""Public sentences about ladders."""

from __future__ import annotations

from bot.domain.competitions.ladders import wins_rung
from bot.domain.matches import Match
from bot.wording import words
from bot.wording.sentence import gettext as _
from rules import Position


def title(game: type[Position]) -> str:
    return _("{game} ladder").format(game=game.title)


def outcome(match: Match) -> str:
    """The effect of a finished match on its ladder; empty without one."""
    if match.ladder is None or match.result is None:
        return ""
    if not wins_rung(match):
        return _("🪜 The places on the ladder stay as they are.")
    challenger = match.player(match.ladder.challenger_id)
    return _("🪜 {challenger} takes {opponent}'s place on the ladder.").format(
        challenger=words.name(challenger), opponent=words.name(match.opponent_of(challenger.id))
    )
