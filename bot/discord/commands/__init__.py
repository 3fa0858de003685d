"""Slash commands and buttons: each translates an interaction into one call of a service, and shows the result."""
