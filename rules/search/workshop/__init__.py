"""The workshop of the search: programs that measure it, fit its weights, and make its openings and puzzles."""
