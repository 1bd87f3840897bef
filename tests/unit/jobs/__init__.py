"""The worker on a real queue."""
