"""Sending to Discord: messages, private answers, servers, and limited requests."""
