"""What is wrong with a text that somebody chose."""

from engine.saying import Said


class Misfit(ValueError):
    """The text can't be taken; `said` tells what would be right."""

    def __init__(self, told: str | Said) -> None:
        self.said = told if isinstance(told, Said) else Said(told)
        super().__init__(str(self.said))
