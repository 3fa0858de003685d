"""Looking back on matches, and over those that are running."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from bot.domain.errors import UnknownMatchError
from bot.domain.matches import Ending, Match, MatchFilter, MatchPage, Pending
from bot.domain.places import Place, Viewer
from bot.domain.players import Player
from bot.services.matches import Matches
from bot.storage import Storage

_PAGE = 10


class History:
    def __init__(self, storage: Storage, matches: Matches) -> None:
        self._storage = storage
        self._matches = matches

    async def finished(self, wanted: MatchFilter, page: int = 1, *, seen_from: Place | None = None) -> MatchPage:
        """The matches that are over, the last one first. A page beyond the last is the last.

        With ``seen_from``, here and elsewhere, people have the names under which they are known at that place.
        """
        total = await self._storage.count_finished(wanted)
        pages = max(1, -(-total // _PAGE))
        number = min(max(1, page), pages)
        found = await self._storage.finished_matches(wanted, skip=(number - 1) * _PAGE, most=_PAGE)
        return MatchPage(tuple(await self._seen(found, seen_from)), number, pages, total)

    async def reasons(self, matches: Iterable[Match]) -> dict[int, str]:
        """Why the games that the rules ended are over, by the numbers of their matches."""
        ended = [match for match in matches if match.result is not None and match.result.ending is Ending.RULES]
        outcomes = {match.id: (await self._matches.game_of(match)).outcome for match in ended}
        return {number: outcome.reason for number, outcome in outcomes.items() if outcome is not None}

    async def running(
        self, *, viewer: Viewer | None = None, player_id: int | None = None, seen_from: Place | None = None
    ) -> list[Pending]:
        """The running matches at the viewer's place that they may find, or all; of everybody or of a player.

        Those that wait for the player come first; then those that have waited longest for their next turn.
        """
        running = []
        found = await self._storage.running_matches(viewer=viewer, player_id=player_id)
        for match in await self._seen(found, seen_from):
            awaited = (await self._matches.game_of(match)).to_act
            assert awaited is not None
            running.append(Pending(match, awaited, match.moved_at))
        return sorted(running, key=lambda each: (each.awaited.id != player_id, each.since, each.match.id))

    async def opponents(self, wanted: MatchFilter, most: int, seen_from: Place) -> list[Player]:
        """Whom the player has finished matches with, those of most matches first; of ``wanted`` the opponent is left
        out."""
        return await self._storage.opponents(replace(wanted, opponent_id=None), most, seen_from.guild_id)

    async def player(self, player_id: int, seen_from: Place) -> Player:
        """Somebody who has played, or of whom nothing is known but the id."""
        async with self._storage.read() as tx:
            known = await tx.players.named([player_id], seen_from.guild_id)
        return known.get(player_id) or Player(player_id, str(player_id))

    async def find(self, viewer: Viewer, number: int | None) -> Match:
        """The match of that number, or else the one that was last played here, or the only one of the viewer."""
        return await (self._matches.find_board(viewer) if number is None else self.look_up(viewer, number))

    async def look_up(self, viewer: Viewer, number: int) -> Match:
        """The match of that number, when they may look at it: they see where it is played, or it is their own. Those
        who play it have the names under which they are known at the viewer's place."""
        match = await self._storage.match(number)
        if match is None or not (match.has_player(viewer.player_id) or await viewer.sees(match.home)):
            raise UnknownMatchError
        (seen,) = await self._seen([match], viewer.place)
        return seen

    async def _seen(self, matches: Sequence[Match], place: Place | None) -> Sequence[Match]:
        """The matches with the names under which people are known at the place: a nickname stays on its server."""
        elsewhere = [] if place is None else [match for match in matches if not match.home.shares(place)]
        if place is None or not elsewhere:
            return matches
        people = {person.id for match in elsewhere for person in match.people}
        async with self._storage.read() as tx:
            known = await tx.players.named(people, place.guild_id)
        return [match if match.home.shares(place) else match.renamed(known) for match in matches]
