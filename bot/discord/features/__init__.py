"""Slash commands and buttons, each beside its private cards."""
