"""What `novaluna up` needs on one machine: an embedded Postgres, a secret key, and a supervisor of the parts.

Nothing in here knows the rest of the project: parts are started as commands and told everything by their environment.
"""
