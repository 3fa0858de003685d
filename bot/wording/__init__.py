"""Sentences and names for both adapters."""
