"""Who may do what: addresses, names, codes, tokens, signed links, limits. No Flask in here."""
