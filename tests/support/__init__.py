"""What several tests share: helpers, fixtures and second readings of the rules; there are no tests here."""
