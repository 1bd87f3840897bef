"""Games that are played by mail alone: our mails leave by SMTP, and the replies come in by LMTP."""
