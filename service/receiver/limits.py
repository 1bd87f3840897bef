"""Limits on what one client, and all of them together, can ask of the receiver."""

LARGEST = 4 * 1024 * 1024
"""The maximum size of a mail in bytes. A photo that a mail program attaches by itself fits."""

MOST_RECIPIENTS = 20
"""The maximum of recipients of one mail; the relay sends it again for the others."""

MOST_HOPS = 50
"""The number of Received fields above which a mail is in a loop.

RFC 5321 (6.3) asks a relay to accept at least 100, but the receiver is no relay.
"""

CONNECTIONS, CONNECTIONS_BY_PEER = 50, 25
"""The maximum of simultaneous connections, in all and from one peer.

A relay opens up to 20 by itself (Postfix, `default_destination_concurrency_limit`).
"""

COMMANDS = {"MAIL": 1000, "RCPT": 4000, "DATA": 1000, "RSET": 1000, "*": 20}
"""The maximum of commands of each kind on one connection. A relay sends one mail after another on it."""

IDLE_SECONDS = 120.0
"""The time to wait for the next command."""

DATA_SECONDS = 300.0
"""The time in which a whole mail has to arrive."""

CONNECTION_SECONDS = 1800.0
"""The age after which a connection may start no further mail."""

LINGER_SECONDS = 10.0
"""The time that a client may take to read the last reply."""

READ_AT_ONCE = 64 * 1024

STORING = 4
"""The number of mails stored at once, each on its own database connection."""

GOODBYE_SECONDS = 4.0
"""The time to finish storing mails when the receiver is asked to stop."""
