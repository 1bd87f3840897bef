"""The errors that are raised when a backup cannot be written or restored."""


class BackupError(Exception):
    """An error of a backup or a restore; the text says why, and what to do.

    Nothing was changed unless the text says otherwise.
    """


class FileError(BackupError):
    """The file that a command was given is no place for a backup, or is not there."""
