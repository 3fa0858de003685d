"""Dendria's pictures and alternative texts."""
