"""What the worker runs: it sends the mails that commands deferred, and keeps house."""
