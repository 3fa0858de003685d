"""The browser for these tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.support.web.tapping import CHROMIUM, chromium


@pytest.fixture(scope="package")
def launched() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("no Chromium: none of chromium, google-chrome is on the PATH")
    with chromium() as launched:
        yield launched


@pytest.fixture
def browser(launched: Browser) -> Iterator[Browser]:
    """A browser whose pages are closed after each test."""
    yield launched
    for context in launched.contexts:
        context.close()
