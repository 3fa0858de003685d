"""Dalen's pictures and alternative texts."""
