"""Nadraz's pictures and alternative texts."""
