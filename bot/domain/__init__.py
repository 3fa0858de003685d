"""Values and decisions about challenges, matches and all around them. No Discord, no SQL."""
