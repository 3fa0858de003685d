"""Sending to Discord: messages, private replies, servers, the budget of requests."""
