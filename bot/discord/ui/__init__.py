"""The parts of messages: buttons, words, pictures and keypads."""
