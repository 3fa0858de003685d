"""Failures of the database, for the adapters."""

from __future__ import annotations

from bot.storage.failures import DatabaseFailedError, watch_writes

__all__ = ["DatabaseFailedError", "watch_writes"]
