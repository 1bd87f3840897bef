"""Clients of the service to start from: two bots and a terminal client. Each stands alone."""
