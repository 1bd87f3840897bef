"""The error for a text that somebody chose and that is not acceptable."""

from engine.saying import Said


class InvalidText(ValueError):
    """The text is not acceptable; `said` says what would be."""

    def __init__(self, told: str | Said) -> None:
        self.said = told if isinstance(told, Said) else Said(told)
        super().__init__(str(self.said))
