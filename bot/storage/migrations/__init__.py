"""The migrations of the database's schema, run on every start."""
