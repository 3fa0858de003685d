"""What a start has to catch up with, and what the application remembers of itself."""

from __future__ import annotations

from sqlalchemy import delete, select, update

from bot.domain.challenges import ChallengeState
from bot.domain.proposals import ProposalState
from bot.domain.timers import TimerKind
from bot.domain.tournaments import TournamentState
from bot.storage.tables import challenges, matches, memos, proposals, replaced_cards, tournaments
from bot.storage.timers import TimerStore


class UpkeepStore(TimerStore):
    """Knows what was not shown, and memos."""

    async def forget_discord(self) -> None:
        """Forgets all messages and threads, for a Discord that starts empty: what is open or running is shown anew."""
        blank = {"card_channel_id": None, "card_message_id": None}
        running = matches.c.ended_at.is_(None)
        in_thread = matches.c.channel_id != matches.c.home_channel_id
        async with self._database.write() as connection:
            await connection.execute(update(challenges).values(blank))
            await connection.execute(
                update(challenges).where(challenges.c.state == ChallengeState.OPEN).values(shown_version=None)
            )
            await connection.execute(update(proposals).values(**blank, shown_version=proposals.c.version))
            await connection.execute(
                update(proposals).where(proposals.c.state == ProposalState.OPEN).values(shown_version=None)
            )
            await connection.execute(update(matches).values(blank))
            await connection.execute(delete(replaced_cards))
            await connection.execute(update(matches).where(running).values(shown_version=None))
            await connection.execute(update(matches).where(running, in_thread).values(channel_id=None))
            await connection.execute(update(tournaments).values(blank))
            going_on = tournaments.c.state.in_((TournamentState.OPEN, TournamentState.RUNNING))
            for row in (
                await connection.execute(select(tournaments.c.id, tournaments.c.created_at).where(going_on))
            ).all():
                await self._set_timer(connection, TimerKind.TOURNAMENT, row.id, row.created_at)

    async def memo(self, name: str) -> str | None:
        async with self._database.read() as connection:
            value: str | None = await connection.scalar(select(memos.c.value).where(memos.c.name == name))
            return value

    async def set_memo(self, name: str, value: str) -> None:
        async with self._database.write() as connection:
            await self._set_memo(connection, name, value)
