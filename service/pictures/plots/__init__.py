"""The plots of a finished game: a seat has a moon, a color, a dash and a shape, and none of them is needed alone."""
