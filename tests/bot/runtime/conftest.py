"""Runs the tests marked ``both_databases`` on SQLite and on PostgreSQL."""

from __future__ import annotations

from tests.support.thorough import on_databases

pytest_generate_tests = on_databases
