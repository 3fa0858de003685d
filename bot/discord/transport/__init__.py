"""Sending to Discord: deliveries, private replies, servers, the budget of requests."""
