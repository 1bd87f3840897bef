"""The error for a text that somebody chose and that is not acceptable."""

from engine.phrases import Phrase


class InvalidText(ValueError):
    """The text is not acceptable; `phrase` says what would be."""

    def __init__(self, text: str | Phrase) -> None:
        self.phrase = text if isinstance(text, Phrase) else Phrase(text)
        super().__init__(str(self.phrase))
