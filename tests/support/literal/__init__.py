"""Second readings of the rules: plain, slow engines written from the rule pages alone, for comparison."""
