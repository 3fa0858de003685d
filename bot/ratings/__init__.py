"""Ratings, leaderboards and profiles. They know neither Discord nor SQL."""
