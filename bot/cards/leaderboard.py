"""The leaderboard of a server."""

from __future__ import annotations

from discord import utils

from bot.cards import words
from bot.cards.post import Post, compose
from bot.matches.model import Standing
from bot.texts import gettext as _
from bot.texts import ngettext

_SHOWN = 20
_MEDALS = {1: "🥇", 2: "🥈", 3: "🥉"}


def leaderboard_card(standings: list[Standing], server: str, game: str | None, viewer_id: int) -> Post:
    """The best players with their wins and losses, and the viewer's own row; equal results share a rank."""
    title = game or _("All games")
    heading = f"### 🏆 {title} · {utils.escape_markdown(server)}"
    if not standings:
        nobody = _("Nobody has finished a game here yet. {challenge} somebody!")
        return compose(heading, nobody.format(challenge=words.command("challenge")))
    rows = []
    rank, previous = 0, None
    for number, standing in enumerate(standings, 1):
        result = (standing.wins, standing.losses, standing.draws)
        if result != previous:
            rank, previous = number, result
        if number <= _SHOWN or standing.player.id == viewer_id:
            if number > _SHOWN + 1:
                rows.append("…")
            rows.append(_row(rank, standing, mine=standing.player.id == viewer_id))
    return compose(heading, "\n".join(rows), footer=_("More wins first, then fewer losses."))


def _row(rank: int, standing: Standing, *, mine: bool) -> str:
    name = words.name(standing.player)
    wins, losses, draws = standing.wins, standing.losses, standing.draws
    counts = [
        ngettext("{count} win", "{count} wins", wins).format(count=wins),
        ngettext("{count} loss", "{count} losses", losses).format(count=losses),
    ]
    if draws:
        counts.append(ngettext("{count} draw", "{count} draws", draws).format(count=draws))
    return f"{_MEDALS.get(rank, f'`{rank}.`')} {f'**{name}**' if mine else name} · {', '.join(counts)}"
