"""The connection to Discord: start and stop, dispatching, timers, and what is caught up."""
