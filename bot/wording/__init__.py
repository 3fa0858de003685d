"""Sentences and names for both adapters, in Discord's Markdown, which the pages turn into HTML."""
