"""What everybody sees: public cards, and where and when they are posted and edited."""
