"""Drills: what must hold under faults or at length. A tenth of each or less runs with the other tests."""
