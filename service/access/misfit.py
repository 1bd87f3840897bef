"""What is wrong with a text that somebody chose."""

from engine.saying import Said


class Misfit(ValueError):
    """The text can't be taken; `said` tells what would be right."""

    def __init__(self, said: str) -> None:
        self.said = Said(said)
        super().__init__(said)
