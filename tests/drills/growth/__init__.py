"""Bounds that must hold however many games there are."""
