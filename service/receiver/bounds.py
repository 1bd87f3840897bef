"""How much one sender can ask of the receiver, and all of them together."""

LARGEST = 4 * 1024 * 1024
"""Bytes of a mail: a photo that somebody's program attaches by itself fits."""

MOST_RECIPIENTS = 20
"""Of one mail; the relay brings it again for the others."""

MOST_HOPS = 50
"""Received fields of a mail, above which it goes round and round (RFC 5321, 6.3, asks for 100 at least of a relay; this
is none)."""

CONNECTIONS, CONNECTIONS_BY_PEER = 50, 25
"""At once; a relay opens up to 20 by itself (Postfix, ``default_destination_concurrency_limit``)."""

COMMANDS = {"MAIL": 1000, "RCPT": 4000, "DATA": 1000, "RSET": 1000, "*": 20}
"""Of each kind on one connection, in which a relay brings mail after mail."""

IDLE_SECONDS = 120.0
"""For which a command is waited for."""

DATA_SECONDS = 300.0
"""In which a whole mail has to come."""

CONNECTION_SECONDS = 1800.0
"""After which no further mail is begun on one connection."""

LINGER_SECONDS = 10.0
"""For which a client may take to read the last answer."""

READ_AT_ONCE = 64 * 1024

STORING = 4
"""Mails that are stored at once, each on a connection to the database of its own."""

GOODBYE_SECONDS = 4.0
"""For what is being stored when the receiver is asked to stop."""
