"""The worker, run on a real queue."""
