"""The command line for ratings."""
