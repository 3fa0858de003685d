"""Leaderboards and profiles, and ratings that are made anew."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from dataclasses import replace
from datetime import datetime
from typing import TypeVar

from bot.domain.leaderboards import Leaderboard, LeaderboardQuery, LeaderboardRow, Played, Profile, Results, Streak
from bot.domain.places import Viewer
from bot.domain.players import Player
from bot.domain.ratings import OVERALL, Rating
from bot.services.rating_formula import VERSION
from bot.storage import Storage

_MEMO = "rating-formula"
_PAGE = 10
#: Of ratings in a line beside a name.
_LINE = 24
#: Of ratings in the picture of a profile: the latest ones.
LONGEST_HISTORY = 400
#: Matches that a profile looks back on.
_PLAYED = 5000

Key = TypeVar("Key", bound=Hashable)


class Ratings:
    """``clock`` tells the time in UTC; ratings become uncertain as it passes."""

    def __init__(self, storage: Storage, *, clock: Callable[[], datetime]) -> None:
        self._storage = storage
        self._clock = clock

    async def catch_up(self) -> None:
        """Rates all stored matches anew when that was done by another formula, or not at all, and finishes what the
        last stop has interrupted."""
        if await self._storage.memo(_MEMO) != VERSION:
            await self.recompute()
        await self._storage.correct_ratings()

    async def recompute(self, watch: Callable[[int], None] = lambda _: None) -> int:
        """Makes all ratings anew from the stored matches; how many matches count."""
        counted = await self._storage.recompute_ratings(watch)
        await self._storage.set_memo(_MEMO, VERSION)
        return counted

    async def rating(self, player_id: int, game: str = OVERALL) -> Rating:
        """A player's rating as it is now."""
        return (await self._storage.rating(player_id, game)).on(self._clock())

    async def leaderboard(self, board: LeaderboardQuery, page: int | None = 1) -> Leaderboard:
        """A page of a leaderboard, by default the first, or the viewer's own (None). One beyond the last is the last.

        The viewer's row comes with every page.
        """
        now = self._clock()
        found = await self._storage.leaderboard(board, now, page, most=_PAGE, course=_LINE)

        def aged(entry: LeaderboardRow) -> LeaderboardRow:
            return replace(entry, rating=entry.rating.on(now))

        mine = None if found.mine is None else aged(found.mine)
        return replace(found, entries=tuple(aged(entry) for entry in found.entries), mine=mine)

    async def profile(
        self, player: Player, viewer: Viewer, game: str | None = None, guild_id: int | None = None
    ) -> Profile:
        """All about a player; of one game, the history and the results are those of it. The opponents have the names
        that they have on the server, or outside of servers."""
        now = self._clock()
        played = await self._storage.played(player.id, _PLAYED, viewer, guild_id)
        if game is not None:
            played = [each for each in played if each.ruleset.game.name == game]
        ratings = await self._storage.ratings(player.id)
        history = await self._storage.rating_history(player.id, game or OVERALL, LONGEST_HISTORY)
        opened = Counter(each.ruleset for each in played if each.opening is not None).most_common(1)
        ruleset = opened[0][0] if opened else None
        openings = Counter(each.opening for each in played if each.opening is not None and each.ruleset == ruleset)
        against = [each for each in played if each.opponent.id == viewer.player_id]
        scores = [each.score for each in played]
        return Profile(
            player=player,
            game=game or OVERALL,
            ratings={name: rating.on(now) for name, rating in ratings.items()},
            history=tuple(history),
            results=_sum(scores),
            by_game=_by(played, lambda each: each.ruleset.game.name),
            by_side=_by((each for each in played if each.side is not None), _side),
            by_size=_by(played, lambda each: (each.ruleset.game.name, each.ruleset.size)),
            by_opponent=_by((each for each in played if each.listed), lambda each: each.opponent),
            against_viewer=_sum(each.score for each in against) if against else None,
            streak=_current(scores),
            longest=_longest(scores),
            opened=ruleset,
            openings=dict(openings.most_common()),
        )


def _side(played: Played) -> str:
    assert played.side is not None
    return played.ruleset.game.sides[played.side]


def _sum(scores: Iterable[float]) -> Results:
    results = Results()
    for score in scores:
        results = results.after(score)
    return results


def _by(played: Iterable[Played], key: Callable[[Played], Key]) -> dict[Key, Results]:
    """The results of the matches by what they have in common; what is most frequent comes first."""
    groups: dict[Key, list[float]] = {}
    for each in played:
        groups.setdefault(key(each), []).append(each.score)
    ordered = sorted(groups.items(), key=lambda group: -len(group[1]))
    return {name: _sum(scores) for name, scores in ordered}


def _current(scores: list[float]) -> Streak | None:
    if not scores:
        return None
    length = next((i for i, score in enumerate(reversed(scores)) if score != scores[-1]), len(scores))
    return Streak(scores[-1], length)


def _longest(scores: list[float]) -> int:
    """The longest run of wins."""
    longest = run = 0
    for score in scores:
        run = run + 1 if score == 1 else 0
        longest = max(longest, run)
    return longest
