"""From interactions to values of the domain: features, options, errors, permissions and languages."""
