"""What messages look like: one function a card, from values of the domain to a view and its picture."""
