"""Sending to Discord: messages, private answers, servers, the budget of requests."""
