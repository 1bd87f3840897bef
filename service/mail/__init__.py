"""The mails that the service sends: composed from facts, built into messages, and delivered to a relay or a Maildir."""
