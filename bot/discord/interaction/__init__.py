"""From an interaction to values of the domain: features, options, errors, access, languages."""
