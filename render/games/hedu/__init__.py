"""Hedu's pictures and alternative texts."""
