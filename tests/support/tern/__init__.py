"""Tern: three connected stones win."""

from __future__ import annotations

from tests.support.tern.position import Tern

__all__ = ["Tern"]
