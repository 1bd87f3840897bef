"""The HTTP API. There is one module for each resource; it parses, makes one call and serializes."""
