"""Runs the tests of the services on SQLite, and on PostgreSQL where the two may differ."""

from __future__ import annotations

import pytest

from tests.support.thorough import on_databases


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run the tests marked ``both_databases`` on each kind of database.

    Marked are those in which several things happen at the same time, and as many others as it takes to execute every
    statement of the services on PostgreSQL.
    """
    on_databases(metafunc)
