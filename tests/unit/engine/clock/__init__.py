"""The engine: one file a ruling, the rulebooks examples, and plays held to the oracle."""
