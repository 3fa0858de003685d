"""The actions that limits count, and the accounts that have recently deleted their data."""

from __future__ import annotations

import hmac
import secrets
from datetime import datetime

from sqlalchemy import BigInteger, BindParameter, and_, bindparam, delete, false, func, null, select, true

from bot.domain.challenges import ChallengeState
from bot.domain.limits import LimitedAction
from bot.domain.matches import ProposalState
from bot.storage.repositories.key_values import KeyValueRepository
from bot.storage.repositories.matches import WITH_COMPUTER
from bot.storage.repository import Repository, opponent_of, played_by
from bot.storage.tables import (
    challenges,
    entrants,
    key_values,
    matches,
    nudges,
    posts,
    proposals,
    tombstones,
    tournaments,
)

_PLAYER: BindParameter[int] = bindparam("player_id", type_=BigInteger)
_SINCE: BindParameter[datetime] = bindparam("since")
#: A player's actions after a time: the other player, the time, and whether it was in vain so far. Accepted proposals do
#: not count.
_ACTIONS = {
    LimitedAction.CHALLENGES: select(
        challenges.c.opponent_id,
        challenges.c.created_at,
        and_(challenges.c.opponent_id.is_not(None), challenges.c.state != ChallengeState.ACCEPTED),
    ).where(challenges.c.challenger_id == _PLAYER, challenges.c.created_at > _SINCE),
    LimitedAction.PROPOSALS: select(opponent_of(_PLAYER), proposals.c.created_at, true())
    .join(matches, matches.c.id == proposals.c.match_id)
    .where(
        proposals.c.proposer_id == _PLAYER,
        proposals.c.state != ProposalState.ACCEPTED,
        proposals.c.created_at > _SINCE,
    ),
    LimitedAction.TOURNAMENTS: select(null(), tournaments.c.created_at, false()).where(
        tournaments.c.organiser_id == _PLAYER, tournaments.c.created_at > _SINCE, tournaments.c.previous_id.is_(None)
    ),
    LimitedAction.ENTRIES: select(null(), tournaments.c.created_at, false())
    .join(entrants, entrants.c.tournament_id == tournaments.c.id)
    .where(entrants.c.player_id == _PLAYER, tournaments.c.created_at > _SINCE),
    LimitedAction.COMPUTER_GAMES: select(null(), matches.c.started_at, false()).where(
        played_by(_PLAYER), WITH_COMPUTER, matches.c.started_at > _SINCE
    ),
    LimitedAction.POSTS: select(null(), posts.c.created_at, false()).where(
        posts.c.player_id == _PLAYER, posts.c.created_at > _SINCE
    ),
}
#: The name of the hashes' key, which is stored as long as there are hashes.
_KEY = "limits-key"


class LimitRepository(Repository):
    """Actions that a limit counts, and tombstones.

    A tombstone has the time of a deletion and a keyed hash of the account, which does not reveal the account.
    Transactions that change tombstones lock the timer ``LIFT_LIMITS``.
    """

    async def times(
        self, limited: LimitedAction, player_id: int, since: datetime, *, in_vain_to: int | None = None
    ) -> list[datetime]:
        """The times of the player's actions after a time, or only of actions that ``in_vain_to`` has not accepted."""
        rows = await self._rows(_ACTIONS[limited], {"player_id": player_id, "since": since})
        if in_vain_to is None:
            return [at for _, at, _ in rows]
        return [at for other_id, at, in_vain in rows if in_vain and other_id == in_vain_to]

    async def add_post(self, player_id: int, at: datetime, *, kept_since: datetime) -> None:
        """Store that a player has posted a board, and delete the player's posts up to ``kept_since``."""
        await self._execute(delete(posts).where(posts.c.player_id == player_id, posts.c.created_at <= kept_since))
        await self._add(posts, {"player_id": player_id, "created_at": at})

    async def nudges(self, player_id: int) -> dict[int, datetime]:
        """The times of the player's last nudges by match."""
        query = select(nudges.c.match_id, nudges.c.created_at).where(nudges.c.player_id == player_id)
        return {row.match_id: row.created_at for row in await self._rows(query)}

    async def set_nudge(self, match_id: int, player_id: int, at: datetime, *, kept_since: datetime) -> None:
        """Store the player's last nudge in a match, and delete the player's nudges up to ``kept_since``."""
        await self._execute(delete(nudges).where(nudges.c.player_id == player_id, nudges.c.created_at <= kept_since))
        await self._put(nudges, {"match_id": match_id, "player_id": player_id, "created_at": at})

    async def deletions(self, player_id: int) -> list[datetime]:
        """When the account last deleted its data; empty without a tombstone."""
        key = await self._other(KeyValueRepository).get(_KEY)
        if key is None:
            return []
        return await self._scalars(select(tombstones.c.deleted_at).where(tombstones.c.hash == _hash(key, player_id)))

    async def add_deletion(self, player_id: int, at: datetime) -> None:
        values = self._other(KeyValueRepository)
        await values.add(_KEY, secrets.token_hex())
        key = await values.get(_KEY)
        assert key is not None
        await self._put(tombstones, {"hash": _hash(key, player_id), "deleted_at": at})

    async def remove_deletions(self, until: datetime) -> datetime | None:
        """Remove tombstones up to a time, and with the last one also the key; return the time of the next deletion."""
        await self._execute(delete(tombstones).where(tombstones.c.deleted_at <= until))
        following: datetime | None = await self._scalar(select(func.min(tombstones.c.deleted_at)))
        if following is None:
            await self._execute(delete(key_values).where(key_values.c.name == _KEY))
        return following


def _hash(key: str, player_id: int) -> str:
    return hmac.new(bytes.fromhex(key), str(player_id).encode(), "sha256").hexdigest()
