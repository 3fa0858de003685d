"""What tests on Discord share."""
