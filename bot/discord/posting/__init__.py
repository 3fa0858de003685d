"""The cards that everybody sees, and the presenters that post and edit them."""
