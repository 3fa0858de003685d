"""The connection to Discord: starting and stopping, dispatching, the list of features, and the backlog."""
