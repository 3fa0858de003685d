"""The connection to Discord: start and stop, dispatching, the list of features, and the backlog."""
