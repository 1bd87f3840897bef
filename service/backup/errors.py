"""Why a backup can't be made or put back."""


class KeepingError(Exception):
    """It was not done, and nothing was changed unless the text says otherwise; the text says why and what to do."""
