"""What messages consist of: buttons, words, pictures, keypads."""
