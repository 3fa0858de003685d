"""Values and decisions about challenges, matches, tournaments and players. No Discord, no SQL."""
