"""What was shown of matches, and what still has to be."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import delete, or_, select, update

from bot.domain.challenges import ChallengeState
from bot.domain.places import PostedMessage
from bot.domain.proposals import ProposalState
from bot.domain.timers import Timer, TimerKind
from bot.domain.tournaments import TournamentState
from bot.storage.repository import Repository
from bot.storage.tables import challenges, matches, proposals, replaced_cards, tournaments
from bot.storage.timers import TimerRepository


class DeliveryRepository(Repository):
    """The messages that show matches, and those that later ones have replaced."""

    async def unshown(self) -> tuple[list[int], list[int]]:
        """The ids of the challenges and of the matches whose last change was not shown.

        A match that ended while it waited for a place has nowhere to be shown.
        """
        has_place = or_(matches.c.channel_id.is_not(None), matches.c.ended_at.is_(None))
        found = []
        for table, *conditions in ((challenges,), (matches, has_place)):
            rows = await self._connection.scalars(
                select(table.c.id)
                .where(or_(table.c.shown_version.is_(None), table.c.shown_version < table.c.version), *conditions)
                .order_by(table.c.id)
            )
            found.append(list(rows))
        return found[0], found[1]

    async def set_message(self, match_id: int, message: PostedMessage) -> None:
        """Store the message that shows a match; the one before is kept until its buttons are gone."""
        if self._connection.dialect.name == "postgresql":  # SQLite has one writer anyway
            await self._connection.execute(select(matches.c.id).where(matches.c.id == match_id).with_for_update())
        before = select(matches.c.card_message_id, matches.c.card_channel_id, matches.c.id, matches.c.shown_step).where(
            matches.c.id == match_id, matches.c.card_message_id != message.message_id
        )
        await self._connection.execute(
            self._insert(replaced_cards)
            .from_select(["message_id", "channel_id", "match_id", "step"], before)
            .on_conflict_do_nothing()
        )
        await self._connection.execute(
            update(matches)
            .where(matches.c.id == match_id)
            .values(
                shown_version=message.version,
                shown_step=message.step,
                card_channel_id=message.channel_id,
                card_message_id=message.message_id,
            )
        )

    async def replaced(self) -> list[tuple[int, PostedMessage]]:
        """The messages that later ones have replaced and that may still have buttons, each with its match's id."""
        rows = await self._connection.execute(select(replaced_cards).order_by(replaced_cards.c.message_id))
        return [(row.match_id, PostedMessage(row.channel_id, row.message_id, 0, row.step)) for row in rows]

    async def remove_replaced(self, message_ids: Collection[int]) -> None:
        """Forget replaced messages whose buttons are gone, or out of reach."""
        await self._connection.execute(delete(replaced_cards).where(replaced_cards.c.message_id.in_(message_ids)))

    async def request(self, match_id: int) -> None:
        """Ask for the match to be shown once more."""
        await self._connection.execute(
            update(matches).where(matches.c.id == match_id).values(version=matches.c.version + 1)
        )

    async def forget_all(self) -> None:
        """Forget all messages and threads, for a Discord that starts empty: what is open or running is shown anew."""
        blank = {"card_channel_id": None, "card_message_id": None}
        running = matches.c.ended_at.is_(None)
        in_thread = matches.c.channel_id != matches.c.home_channel_id
        await self._connection.execute(update(challenges).values(blank))
        await self._connection.execute(
            update(challenges).where(challenges.c.state == ChallengeState.OPEN).values(shown_version=None)
        )
        await self._connection.execute(update(proposals).values(**blank, shown_version=proposals.c.version))
        await self._connection.execute(
            update(proposals).where(proposals.c.state == ProposalState.OPEN).values(shown_version=None)
        )
        await self._connection.execute(update(matches).values(blank))
        await self._connection.execute(delete(replaced_cards))
        await self._connection.execute(update(matches).where(running).values(shown_version=None))
        await self._connection.execute(update(matches).where(running, in_thread).values(channel_id=None))
        await self._connection.execute(update(tournaments).values(blank))
        going_on = tournaments.c.state.in_((TournamentState.OPEN, TournamentState.RUNNING))
        rows = await self._connection.execute(select(tournaments.c.id, tournaments.c.created_at).where(going_on))
        for row in rows.all():
            await TimerRepository(self._connection).set(Timer(TimerKind.TOURNAMENT, row.id, row.created_at))
