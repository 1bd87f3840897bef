"""Errors of the demonstration."""


class StepFailed(Exception):
    """A step did not do what it should; the text says which, and what happened instead."""


class Stopped(Exception):
    """The user asked to stop."""
