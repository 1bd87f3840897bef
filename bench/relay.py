"""An SMTP server in a process of its own: `python -m bench.relay`.

It accepts every mail, or with `--refuses` none, as a Postfix does that takes no mail from this host. It prints the port
that it listens on, then a line for each mail it has received: seconds since 1970, and its Message-ID.
"""

import asyncio
import re
import sys
import time

from aiosmtpd.smtp import SMTP, Envelope, Session

_MESSAGE_ID = re.compile(rb"^Message-ID: <([^@>]+)", re.MULTILINE)


class _Taking:
    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        content = envelope.content
        found = _MESSAGE_ID.search(content) if isinstance(content, bytes) else None
        sys.stdout.write(f"{time.time()} {found[1].decode() if found else '?'}\n")
        sys.stdout.flush()
        return "250 taken"


class _Refusing(_Taking):
    async def handle_RCPT(self, *_: object) -> str:
        return "554 5.7.1 <localhost[127.0.0.1]>: Client host rejected: Access denied"


async def _serve(handler: _Taking) -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: SMTP(handler, hostname="127.0.0.1", loop=loop), "127.0.0.1", 0)
    sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_serve(_Refusing() if "--refuses" in sys.argv[1:] else _Taking()))
