"""The settings of a game's clock, its marks in a record, and their audit (docs/CLOCKS.md). No part reads the time."""
