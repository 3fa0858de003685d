"""Second readings of the rules, slow and literal, against which the engines are checked.

They follow the sentences of the rules with nothing but coordinates, and share no code with the package ``rules``.
"""
