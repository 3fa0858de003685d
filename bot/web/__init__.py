"""The pages of matches: an adapter beside Discord, over the same services."""
