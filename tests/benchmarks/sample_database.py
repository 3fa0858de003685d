"""A database of generated players and games, for benchmarks."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import accumulate
from typing import Any

from sqlalchemy import insert

from bot.domain.matches import Ending
from bot.storage.database import Database
from bot.storage.tables import match_deliveries, matches, players, rating_events, turns
from rules import GAMES, Ruleset

_BATCH = 20_000
_TIME = timedelta(days=730)
_PLY = 30
#: How many players a server has, and which shares of their games are among themselves and outside servers.
_SERVER, _AT_HOME, _OUTSIDE = 50, 0.8, 0.1


async def fill(
    database: Database, people: int, games: int, now: datetime, watch: Callable[[int], None] = lambda _: None
) -> None:
    """Fill an empty database with games of the last two years; ``people`` is a multiple of 50."""
    chance = random.Random(7)
    strength = [chance.gauss(1500, 200) for _ in range(people)]
    # The most active players come first; the second half plays a third of the games.
    often = list(accumulate(1 / (10 + number) ** 0.5 for number in range(people)))
    rulesets = [Ruleset(game, size, game.variants[0]) for game in GAMES.values() for size in game.sizes[:3]]
    async with database.write() as connection:
        await connection.execute(
            insert(players), [{"id": number + 1, "name": f"Player {number + 1}"} for number in range(people)]
        )
    for first in range(0, games, _BATCH):
        rows: list[dict[str, Any]] = []
        beginnings: list[dict[str, Any]] = []
        for number in range(first, min(first + _BATCH, games)):
            one, other = chance.choices(range(people), cum_weights=often, k=2)
            if one == other or chance.random() < _AT_HOME:
                home = one // _SERVER * _SERVER
                other = home + (one - home + chance.randrange(1, _SERVER)) % _SERVER
            match = _match(number + 1, one, other, chance, strength, chance.choice(rulesets))
            match["started_at"] = match["ended_at"] = now - _TIME * (1 - number / games)
            rows.append(match)
            beginnings += _beginning(match, chance)
        async with database.write() as connection:
            await connection.execute(insert(matches), rows)
            await connection.execute(insert(match_deliveries), [_delivery(row["id"]) for row in rows])
            await connection.execute(insert(turns), beginnings)
            await connection.execute(insert(rating_events), [_rated(row) for row in rows if row["rated"]])
        watch(first + len(rows))


def _match(
    number: int, one: int, other: int, chance: random.Random, strength: list[float], ruleset: Ruleset
) -> dict[str, Any]:
    stronger = 1 / (1 + 10 ** ((strength[other] - strength[one]) / 400))
    winner = None if chance.random() < 0.03 else one if chance.random() < stronger else other
    return {
        "id": number,
        "ruleset": ruleset.id,
        "game": ruleset.game.name,
        "guild_id": None if chance.random() < _OUTSIDE else one // _SERVER + 1,
        "first_id": one + 1,
        "second_id": other + 1,
        "ply": _PLY,
        "step": _PLY,
        "ending": Ending.RESIGNATION,
        "winner_id": None if winner is None else winner + 1,
        "rated": chance.random() < 0.9,
    }


def _rated(match: dict[str, Any]) -> dict[str, Any]:
    return {"match_id": match["id"], "kind": "rated", "at": match["ended_at"]}


def _delivery(number: int) -> dict[str, Any]:
    shown = {"shown_version": _PLY + 1, "shown_step": _PLY}
    return {"match_id": number, "home_channel_id": number, "channel_id": number, "requests": 0, **shown}


def _beginning(match: dict[str, Any], chance: random.Random) -> list[dict[str, Any]]:
    game = GAMES[match["game"]]
    return [
        {
            "match_id": match["id"],
            "step": step,
            "ply": step,
            "turn": turn,
            "player_id": match[seat],
            "played_at": match["ended_at"],
        }
        for step, turn, seat in (
            (1, f"{chance.choice('bcde')}{chance.randint(2, 5)}", "first_id"),
            (2, chance.choice(game.sides), "second_id"),
        )
    ]
