"""Sentences, names and looks that both adapters share, in Discord's Markdown; the pages make HTML of it."""
