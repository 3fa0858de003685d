"""What the search knows of each game: a module of the game's name with a ``KNOWLEDGE``."""
