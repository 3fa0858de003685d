"""The actions that limits count, also of deleted players for a while."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Collection
from datetime import datetime, timedelta

from sqlalchemy import BigInteger, BindParameter, and_, bindparam, delete, false, func, null, select, true

from bot.domain.challenges import ChallengeState
from bot.domain.limits import LimitedAction
from bot.domain.proposals import ProposalState
from bot.storage.matches import WITH_COMPUTER
from bot.storage.memos import MemoRepository
from bot.storage.repository import Repository, opponent_of, played_by
from bot.storage.tables import challenges, entrants, kept_counts, matches, memos, nudges, posts, proposals, tournaments

_PLAYER: BindParameter[int] = bindparam("player_id", type_=BigInteger)
_SINCE: BindParameter[datetime] = bindparam("since")
#: A player's acts after a time: the other player, the time, and whether in vain so far. Accepted proposals do not
#: count.
_ACTS = {
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
#: The memo with the key of the hashes, which exists as long as they do.
_KEY = "limits-key"


class LimitRepository(Repository):
    """Acts that a limit counts, also of deleted players.

    An act of a deleted player is kept under a keyed hash of the player, the kind of act and, if the limit counts each
    other player separately, that player. It reveals neither player nor act. Transactions that change these lock the
    timer ``FORGET``.
    """

    async def acts(
        self, limited: LimitedAction, player_id: int, since: datetime, *, in_vain: bool = False
    ) -> list[tuple[int | None, datetime]]:
        """The times of the player's acts after that time.

        With ``in_vain``, these are acts towards players who have not accepted, each with the other player.
        """
        rows = await self._rows(_ACTS[limited], {"player_id": player_id, "since": since})
        if in_vain:
            return [(other_id, at) for other_id, at, was_in_vain in rows if was_in_vain]
        return [(None, at) for _, at, _ in rows]

    async def times(
        self, limited: LimitedAction, player_id: int, since: datetime, *, in_vain_to: int | None = None
    ) -> list[datetime]:
        """The times of the player's acts after that time, or of acts in vain towards one player.

        Acts before the player's deletion count, too.
        """
        acts = await self.acts(limited, player_id, since, in_vain=in_vain_to is not None)
        times = [at for other_id, at in acts if other_id == in_vain_to]
        key = await self._other(MemoRepository).get(_KEY)
        if key is not None:
            this = kept_counts.c.hash == _hash(key, limited, player_id, in_vain_to)
            times += await self._scalars(select(kept_counts.c.counted_at).where(this))
        return times

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

    async def keep(
        self, player_id: int, limited: LimitedAction, acts: Collection[tuple[int | None, datetime]], span: timedelta
    ) -> None:
        """Keep the acts of a player who is being deleted for as long as the limit counts them."""
        if not acts:
            return
        memory = self._other(MemoRepository)
        await memory.add(_KEY, secrets.token_hex())
        key = await memory.get(_KEY)
        assert key is not None
        for other_id, at in acts:
            hashed = _hash(key, limited, player_id, other_id)
            await self._add(kept_counts, {"hash": hashed, "counted_at": at, "kept_until": at + span})

    async def forget(self, now: datetime) -> datetime | None:
        """Delete the kept acts that no longer count, and with the last also the key; return the time of the next
        deletion.
        """
        await self._execute(delete(kept_counts).where(kept_counts.c.kept_until <= now))
        following: datetime | None = await self._scalar(select(func.min(kept_counts.c.kept_until)))
        if following is None:
            await self._execute(delete(memos).where(memos.c.name == _KEY))
        return following


def _hash(key: str, limited: LimitedAction, player_id: int, other_id: int | None) -> str:
    return hmac.new(bytes.fromhex(key), f"{limited} {player_id} {other_id}".encode(), "sha256").hexdigest()
