"""The settings of a game's clock and how a record writes them (docs/CLOCKS.md). No part of this reads the time."""
