"""Drills: properties that must hold under faults or over time. A tenth of each or less runs with the other tests."""
