"""The components of messages: buttons, words, pictures and keypads."""
