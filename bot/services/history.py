"""Lists of running and finished matches, and single matches to replay."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from bot.domain.deliveries import MatchDelivery, home_for
from bot.domain.matches import (
    Ending,
    Game,
    Match,
    MatchFilter,
    MatchListPage,
    Pending,
    PendingPage,
    UnknownMatchError,
    page_number,
)
from bot.domain.places import Place, Viewer
from bot.domain.players import COMPUTER_ID, Player
from bot.services.matches import Matches
from bot.storage import Storage, Transaction

_PAGE = 10
#: How many of the newest matches may be shown in public.
_SEARCHED = 200


@dataclass
class History:
    storage: Storage
    matches: Matches

    async def finished(self, wanted: MatchFilter, page: int = 1, *, seen_from: Place | None = None) -> MatchListPage:
        """A page of the finished matches, the latest first; a number that is too large means the last page.

        In all methods, people have the names that are known in the place ``seen_from``.
        """
        async with self.storage.read() as tx:
            total = await tx.searches.count(wanted)
            number, pages = page_number(page, total, _PAGE)
            ids = await tx.searches.match_ids(wanted, skip=(number - 1) * _PAGE, most=_PAGE)
            found = await _with_local_names(tx, await tx.matches.with_ids(ids), seen_from)
        return MatchListPage(tuple(found), number, pages, total)

    async def in_public(self, is_public: Callable[[MatchDelivery], bool], most: int) -> list[Match]:
        """Some of the matches last played in public, running ones first, with the names known outside servers.

        ``is_public`` returns whether everybody on a server can view the channel of a match. Matches of players who show
        no name outside their servers are left out.
        """
        async with self.storage.read() as tx:
            deliveries = await tx.deliveries.get_all(await tx.searches.newest_on_servers(_SEARCHED))
            ids = [match_id for match_id, delivery in deliveries.items() if is_public(delivery)]
            found = await tx.matches.with_ids(ids)
            named = await tx.players.by_ids({person.id for match in found for person in match.people}, None)
        shown = [match.renamed(named) for match in found]
        shown = [match for match in shown if all(player.name for player in match.players)]
        latest = sorted(shown, key=lambda match: match.moved_at, reverse=True)[: 3 * most]
        return sorted(latest, key=lambda match: match.result is not None)[:most]

    async def games(self, player_id: int, most: int, *, seen_from: Place | None = None) -> list[Game]:
        """The latest finished games of a player, the oldest first. Replaying them can take seconds."""
        games: list[Game] = []
        for skip in range(0, most, _PAGE):
            async with self.storage.read() as tx:
                ids = await tx.searches.match_ids(MatchFilter(player_id=player_id), skip=skip, most=_PAGE)
                games += await self.matches.games(
                    tx, await _with_local_names(tx, await tx.matches.with_ids(ids), seen_from)
                )
            if len(ids) < _PAGE:
                break
        return games[::-1]

    async def reasons(self, matches: Iterable[Match]) -> dict[int, str]:
        """The reasons, in words, why games ended by the rules, by match."""
        ended = [match for match in matches if match.result is not None and match.result.ending is Ending.RULES]
        async with self.storage.read() as tx:
            games = await self.matches.games(tx, ended)
        return {game.match.id: game.position.reasons[game.outcome.reason] for game in games if game.outcome is not None}

    async def running(
        self, *, viewer: Viewer | None = None, player_id: int | None = None, seen_from: Place | None = None
    ) -> list[Pending]:
        """The running matches of a player or of everybody; with a viewer, only matches visible in their place.

        Matches that wait for the player come first; otherwise, the longest wait comes first.
        """
        async with self.storage.read() as tx:
            return await _pending(tx, await tx.matches.pending(viewer=viewer, player_id=player_id), seen_from)

    async def running_page(
        self, player_id: int, page: int, most: int, *, viewer: Viewer | None = None, seen_from: Place | None = None
    ) -> PendingPage:
        """A page of up to ``most`` of a player's running matches, in the order of :meth:`running`."""
        async with self.storage.read() as tx:
            total, to_play, to_answer = await tx.matches.count_pending(player_id, viewer=viewer)
            number, pages = page_number(page, total, most)
            found = await tx.matches.pending(viewer=viewer, player_id=player_id, skip=(number - 1) * most, most=most)
            return PendingPage(tuple(await _pending(tx, found, seen_from)), number, pages, total, to_play, to_answer)

    async def count_running(self, player_id: int) -> int:
        async with self.storage.read() as tx:
            total, _waiting, _asked = await tx.matches.count_pending(player_id)
        return total

    async def opponents(self, wanted: MatchFilter, most: int, seen_from: Place) -> list[Player]:
        """The opponents in finished matches, the most frequent first; ``wanted.opponent_id`` is ignored."""
        async with self.storage.read() as tx:
            ids = await tx.searches.opponent_ids(replace(wanted, opponent_id=None), most)
            named = await tx.players.by_ids(ids, seen_from.guild_id)
        return [named[player_id] for player_id in ids]

    async def player(self, player_id: int, seen_from: Place) -> Player:
        """The computer, or a person; the name of an unknown person is their id."""
        if player_id == COMPUTER_ID:
            return Player(COMPUTER_ID, "Hexgrove")
        async with self.storage.read() as tx:
            known = await tx.players.by_ids([player_id], seen_from.guild_id)
        return known.get(player_id) or Player(player_id, str(player_id))

    async def find(self, viewer: Viewer, number: int | None) -> Match:
        """The match with a number; without one, the match last played here, or the viewer's only one."""
        return await (self.matches.find_board(viewer) if number is None else self.look_up(viewer, number))

    async def look_up(self, viewer: Viewer, number: int) -> Match:
        """The match with a number, if the viewer may see it, with the names known at the viewer's place."""
        async with self.storage.read() as tx:
            found = await tx.matches.with_homes(number)
        if found is None:
            raise UnknownMatchError
        match, homes = found
        if not (match.belongs_to(viewer.player_id) or await viewer.sees(home_for(homes, viewer).home)):
            raise UnknownMatchError
        async with self.storage.read() as tx:
            return (await _with_local_names(tx, [match], viewer.place))[0]

    async def seen_outside(self, match: Match) -> Match:
        """The match with the names that people have outside servers."""
        async with self.storage.read() as tx:
            return await named_outside(tx, match)

    async def match_outside(self, match_id: int) -> Match:
        """The match with an id, with the names that people have outside servers."""
        async with self.storage.read() as tx:
            match = await tx.matches.get(match_id)
            if match is None:
                raise UnknownMatchError
            return await named_outside(tx, match)


async def named_outside(tx: Transaction, match: Match) -> Match:
    """The match with the names that people have outside servers."""
    return match.renamed(await tx.players.by_ids({person.id for person in match.people}, None))


async def _pending(tx: Transaction, found: list[Pending], place: Place | None) -> list[Pending]:
    seen = await _with_local_names(tx, [pending.match for pending in found], place)
    return [Pending(match, match.player(old.to_act.id), old.since) for match, old in zip(seen, found, strict=True)]


async def _with_local_names(tx: Transaction, matches: Sequence[Match], place: Place | None) -> Sequence[Match]:
    """The matches with the names known in a place; a nickname is shown only on its server."""
    if place is None:
        return matches
    if place.guild_id is None:
        deliveries = await tx.deliveries.get_all([match.id for match in matches])
        here = {match_id for match_id, delivery in deliveries.items() if delivery.home.shares(place)}
    else:
        here = {match.id for match in matches if match.guild_id == place.guild_id or match.apart is not None}
    people = {person.id for match in matches if match.id not in here for person in match.people}
    named = await tx.players.by_ids(people, place.guild_id) if people else {}
    return [match if match.id in here else match.renamed(named) for match in matches]
