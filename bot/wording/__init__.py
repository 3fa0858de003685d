"""Sentences, names and looks for both adapters, in Discord's Markdown, which the pages turn into HTML."""
