"""Second readings of the rules: written from the rule pages alone, plainly and slowly, to compare the games with."""
