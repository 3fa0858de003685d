"""Plans in words, read only by the player who made them."""

from __future__ import annotations

from collections.abc import Sequence

from bot.domain.matches import Game
from bot.domain.plans import Branch, Plan
from bot.domain.study.lines import games_along
from bot.texts import gettext as _
from bot.wording import words
from bot.wording.quoting import as_code

#: Maximum characters of a branch, because a card needs room for all branches.
_LONGEST = 300


def note() -> str:
    return _("I play your answers at once, also while you are away. Nobody else can see your plan.")


def progress(plan: Plan, start: Game, game: Game, player_id: int) -> str:
    """The turns of a plan from ``start`` that came true, and the rest, as a list. Replays them: call it in a thread."""
    came_true = plan.came_true(game)
    lines = [_("✅ Came true: {turns}").format(turns=branch(start, came_true, player_id))] if came_true else []
    left = plan.open_branches(game)
    lines += [f"- {branch(game, rest, player_id)}" for rest in left.values()]
    if not left:
        lines.append(_("No part of this plan is left."))
    return "\n".join(lines)


def branch(start: Game, turns: Branch, player_id: int) -> str:
    """The turns of a branch, the player's in bold."""
    games, _illegal = games_along(start, turns)
    listed = ""
    for before, turn in zip(games, turns, strict=False):
        longer = " → ".join(filter(None, [listed, _turn(before, turn, player_id)]))
        if len(longer) > _LONGEST:
            return f"{listed} → …"
        listed = longer
    return listed


def _turn(before: Game, turn: str, player_id: int) -> str:
    name = as_code(words.translate(before.position.turn_name(turn)))
    return f"**{name}**" if before.to_act is not None and before.to_act.id == player_id else name


def short(turns: Sequence[str]) -> str:
    """A branch on one line, for a menu."""
    return " → ".join(turns)
