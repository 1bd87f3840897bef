"""The documentation for developers: the API reference, the guide, the list of errors and the changelog."""
