"""Public cards, and the presenters that post and edit them."""
