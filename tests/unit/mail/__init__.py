"""Mails: composed, built, and handed to a real relay."""
