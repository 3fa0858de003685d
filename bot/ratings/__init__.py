"""The command line for ratings: recompute them, or measure leaderboards and profiles."""
