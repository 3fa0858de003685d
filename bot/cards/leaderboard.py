"""The leaderboard of a server."""

from __future__ import annotations

from discord import utils

from bot.cards import words
from bot.cards.post import Post, compose
from bot.matches.model import Standing

_SHOWN = 20
_MEDALS = {1: "🥇", 2: "🥈", 3: "🥉"}


def leaderboard_card(standings: list[Standing], server: str, game: str | None, viewer_id: int) -> Post:
    """The best players with their wins and losses, and the viewer's own row; equal results share a rank."""
    heading = f"### 🏆 {game or 'All games'} · {utils.escape_markdown(server)}"
    if not standings:
        return compose(heading, f"Nobody has finished a game here yet. {words.command('challenge')} somebody!")
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
    return compose(heading, "\n".join(rows), footer="More wins first, then fewer losses.")


def _row(rank: int, standing: Standing, *, mine: bool) -> str:
    name = words.name(standing.player)
    counts = [_count(standing.wins, "win"), _count(standing.losses, "loss", "losses")]
    if standing.draws:
        counts.append(_count(standing.draws, "draw"))
    return f"{_MEDALS.get(rank, f'`{rank}.`')} {f'**{name}**' if mine else name} · {', '.join(counts)}"


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"
