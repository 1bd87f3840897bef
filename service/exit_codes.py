"""The exit codes of the programs."""

OK, FAILED, INTERRUPTED = 0, 1, 130

BAD_USAGE = 2
"""Wrong arguments or settings. The units of `ops/systemd` do not start a program again after it."""

TRY_LATER = 75
"""It tells a mail server, which pipes a mail to a program, to keep the mail and retry (EX_TEMPFAIL)."""
