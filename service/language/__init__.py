"""The words of the game, as mails and pages say them. English; pure text, nothing that knows of HTTP or a database."""
