"""Reviews of matches."""

from __future__ import annotations

from dataclasses import asdict

from sqlalchemy import select

from bot.domain.reviews import Review, TurningPoint
from bot.storage.repository import Repository
from bot.storage.tables import reviews


class ReviewRepository(Repository):
    """One review of each match, by the latest version of the search that has reviewed it."""

    async def get(self, match_id: int, version: int) -> Review | None:
        """The review of a match by that version of the search."""
        query = select(reviews.c.review).where(reviews.c.match_id == match_id, reviews.c.version == version)
        stored = await self._connection.scalar(query)
        if stored is None:
            return None
        points = (TurningPoint(**{**each, "line": tuple(each["line"])}) for each in stored["points"])
        return Review(tuple(stored["chances"]), tuple(points))

    async def set(self, match_id: int, version: int, review: Review) -> None:
        """Store a review in place of the one before; the same version always finds the same."""
        await self._put(reviews, {"match_id": match_id, "version": version, "review": asdict(review)})
