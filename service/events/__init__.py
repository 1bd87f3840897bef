"""Events at the tables, for streams and long polls: read from the database, and passed on to those who wait.

`service.store.events` explains the order of events, which makes it safe to go on from any of them.
"""
