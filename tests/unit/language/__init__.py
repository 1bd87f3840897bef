"""The words of mails and pages."""
