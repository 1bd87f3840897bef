"""The error that is raised when a backup cannot be written or restored."""


class BackupError(Exception):
    """Nothing was changed unless the text says otherwise; the text says why, and what to do."""
