"""What tests of the services share, and the databases below them."""
