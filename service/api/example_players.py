"""The players in the examples of the OpenAPI document."""

PLAYER_IDS = {"Ann": "Hn5wE8rPqJ3c", "Ben": "b7XsQm4KyTz2", "Cleo": "vR6dGk9MfZ4x"}
"""Their ids by name."""
