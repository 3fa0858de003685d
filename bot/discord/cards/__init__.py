"""What messages look like: one function for each card, from values of the domain to a view and its picture."""
