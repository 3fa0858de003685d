"""Fiodar's pictures and alternative texts."""
