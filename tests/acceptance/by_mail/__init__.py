"""Games that are played by mail alone.

Our mails out by SMTP, the answers in by LMTP, and nothing else asked of the service.
"""
