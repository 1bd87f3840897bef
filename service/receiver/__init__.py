"""Receive mail by LMTP and SMTP. Whatever is acknowledged is stored; the worker reads it."""
