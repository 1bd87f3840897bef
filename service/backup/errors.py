"""The error that is raised when a backup cannot be written or restored."""


class BackupError(Exception):
    """An error of a backup or a restore; the text says why, and what to do.

    Nothing was changed unless the text says otherwise.
    """
