"""Tables, games and moves: commands, queries and their HTTP."""
