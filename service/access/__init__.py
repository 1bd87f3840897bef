"""Access control: addresses, names, codes, tokens, signed links and limits, independent of the web framework."""
