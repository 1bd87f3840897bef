"""The commands of the service: one function each, in the caller's transaction, independent of the web framework."""
