"""Processes that tests start: the bot, a Discord for it, and databases."""
