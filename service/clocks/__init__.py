"""Pure time arithmetic: the current time is always passed in."""
