"""Charts and tables of what players have done."""
