"""The tests of all packages; CONTRIBUTING.md says what is where."""
