"""The terms of a game's clock, and durations as they are written."""
