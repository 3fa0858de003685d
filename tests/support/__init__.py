"""Helpers, fixtures and second readings of the rules that several tests share. No tests are here."""
