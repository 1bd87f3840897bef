"""Drills: what must hold under faults or at length. A tenth of each runs with the other tests."""
