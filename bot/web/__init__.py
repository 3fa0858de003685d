"""The pages of matches: an adapter beside Discord, on the same services."""
