"""The fixtures of the tests of pages."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from bot.storage import Database
from tests.support.services.matches import Clock
from tests.support.web.pages import Site, site_on


@pytest.fixture
async def site(database: Database, clock: Clock) -> AsyncIterator[Site]:
    """The pages of the matches in the database, over real requests."""
    async with site_on(database, clock) as site:
        yield site
