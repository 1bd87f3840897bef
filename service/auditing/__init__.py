"""Audit a whole database: replay every game, and compare all that is stored about it with what its log gives."""
