"""The engine: a file for each chapter of the rulings, the rulebooks' examples, and games compared with the oracle."""
