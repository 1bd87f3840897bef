"""The error for a text that somebody chose and that is not acceptable."""

from engine.phrases import Phrase


class InvalidText(ValueError):
    """The text is not acceptable; `said` says what would be."""

    def __init__(self, told: str | Phrase) -> None:
        self.phrase = told if isinstance(told, Phrase) else Phrase(told)
        super().__init__(str(self.phrase))
