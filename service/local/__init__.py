"""The parts of `novaluna up` that run on one machine: an embedded Postgres, a secret key, and a supervisor.

Nothing in this package knows the rest of the project. Processes are started as commands and configured by their
environment alone.
"""
