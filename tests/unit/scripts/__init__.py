"""The drill with mutants: what is changed, and which tests are chosen for it."""
