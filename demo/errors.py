"""What can go wrong with the demonstration."""


class StepFailed(Exception):
    """A step did not do what it should; the text says which, and what came instead."""


class Stopped(Exception):
    """Somebody asked to stop."""
