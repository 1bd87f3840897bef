"""Players' names in a drawing, in a font that may lack some of their characters, or may be wider than ours."""

from __future__ import annotations

from service.language.people import People, display_name
from service.pictures import lettering

_WIDEST = 1.18


class DrawnNames:
    """The players of a drawing, and how their names are written in it.

    Attributes:
        people: the players, and the language of the texts.
        only_shipped_type: whether only the bundled font is there, as for a PNG.
    """

    __slots__ = ()

    people: People
    only_shipped_type: bool

    @property
    def spread(self) -> float:
        """The factor by which text may be wider than in the bundled font: a browser may use DejaVu."""
        return 1.0 if self.only_shipped_type else _WIDEST

    def name(self, seat: int) -> str:
        """Return a player's name as it is drawn.

        If only the bundled font is available and lacks one of its characters, it is `Player 2`, as for a player without
        a name.
        """
        name = self.people.called(seat)
        if self.only_shipped_type and not lettering.can_write(name):
            return display_name(None, seat, self.people.language)
        return name
