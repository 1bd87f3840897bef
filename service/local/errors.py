"""What can go wrong on this machine."""


class LocalError(Exception):
    """The parts can't be started here; the text says why and what to do about it."""


class StillRunning(LocalError):
    """The Postgres before this one isn't gone yet; worth another try in a moment."""
