"""The mails: composed from facts (pure), built into messages, and handed to a relay or a Maildir."""
