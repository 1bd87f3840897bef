"""Errors that occur while parts of the service are started on this machine."""


class LocalError(Exception):
    """The service cannot be started on this machine; the text says why and what to do about it."""


class StillRunning(LocalError):
    """The previous Postgres is still shutting down; try again in a moment."""


class FolderInUse(LocalError):
    """Another process uses the data folder, such as a running `novaluna up`."""
