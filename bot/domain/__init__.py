"""The domain: values and decisions of challenges, matches and everything around them. It knows neither Discord nor
SQL."""
