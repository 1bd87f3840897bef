"""The HTTP API: one module a resource, each parses, makes one call and serialises."""
