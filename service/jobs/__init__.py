"""The tasks of the worker: send the mails that commands deferred, process incoming mail, and clean up."""
