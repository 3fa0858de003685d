"""The components of messages: buttons, mentions, pictures and keypads."""
