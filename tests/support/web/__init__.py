"""What tests of the pages and the API share."""
