"""The domain: challenges and matches between people. It knows neither Discord nor SQL."""
