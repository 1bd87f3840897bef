"""Takes mail in, by LMTP and SMTP. What it acknowledges is stored; reading it is the worker's."""
