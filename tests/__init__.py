"""The tests: they mirror the two packages `engine` and `service`."""
