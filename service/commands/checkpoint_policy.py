"""Put together the policy of a log: its keys, and the witnesses of the host's file (C2SP tlog-policy)."""

from __future__ import annotations

from collections.abc import Iterable

from service.checkpoints.errors import CheckpointError
from service.checkpoints.keys import LOG, VerifyKey
from service.checkpoints.policies import LARGEST, Policy
from service.config import ConfigError, Settings

_ALONE = "quorum none\n"


def text(settings: Settings, vkeys: Iterable[str], url: str) -> str:
    """Return the policy by which a log's checkpoints are verified.

    The lines of the host's file follow those of the log's keys; lines for logs in it are left out.
    """
    logs = "".join(f"log {vkey} {url}\n" for vkey in vkeys)
    if settings.checkpoint_policy is None:
        return logs + _ALONE
    with settings.checkpoint_policy.open("rb") as file:
        given = file.read(LARGEST + 1).decode(errors="surrogateescape")
    lines = [line for line in given.split("\n") if line.split()[:1] != ["log"]]
    return logs + "\n".join(lines).rstrip("\n") + "\n"


def check(settings: Settings) -> None:
    """Raise ConfigError if the host's file has no policy."""
    try:
        Policy.parse(text(settings, [VerifyKey("example.org", LOG, bytes(32)).vkey], ""))
    except OSError as error:
        raise ConfigError(f"NOVALUNA_CHECKPOINT_POLICY can't be read: {error.strerror}.") from None
    except CheckpointError as error:
        raise ConfigError(f"NOVALUNA_CHECKPOINT_POLICY is wrong: {error.detail}.") from None
