"""The services run on SQLite, and on PostgreSQL where the two may differ."""

from __future__ import annotations

import pytest

from tests.support.thorough import THOROUGH


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run the tests marked ``both_databases`` on each kind of database, or all of them if the tests are thorough.

    Marked are those in which several things happen at the same time, and as many others as it takes to execute every
    statement of the services on PostgreSQL.
    """
    if "backend" in metafunc.fixturenames and not hasattr(metafunc.module, "backend"):
        both = THOROUGH or metafunc.definition.get_closest_marker("both_databases") is not None
        metafunc.parametrize("backend", ["sqlite", "postgresql"] if both else ["sqlite"], scope="module")
