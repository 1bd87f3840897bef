"""The command `novaluna partition-log`: split the log of moves into partitions by game."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable

from service.console import say
from service.exit_codes import BAD_USAGE, FAILED, OK


def add_commands(add: Callable[[str, str], argparse.ArgumentParser]) -> None:
    """Add the command to the command line; `add` returns the parser of a new command by its name and description."""
    partition = add("partition-log", "Split the log of moves into partitions by game. Stop the service before.")
    partition.add_argument(
        "--partitions", type=int, default=16, metavar="N", help="2 to 256, which can't be changed later (default 16)"
    )
    partition.add_argument("--data", metavar="DIR", help="the data folder, as for up")
    partition.set_defaults(run=lambda given: partition_log(given.partitions, given.data))


def partition_log(partitions: int, data: str | None) -> int:
    """Split the log and return the exit code: 1 or 2 (a wrong number) if it is not split, and nothing was changed."""
    from service.store.log_partitions import FEWEST, FORMER, MOST, PartitionError, split
    from service.store.rights import RoleError
    from service.up import existing_database

    if not FEWEST <= partitions <= MOST:
        say(f"a log is split into {FEWEST} to {MOST} partitions")
        return BAD_USAGE
    try:
        with existing_database(data, os.environ) as settings:
            made = split(settings.owner_url or settings.database_url, settings.database_url, partitions)
    except (PartitionError, RoleError) as error:
        say(str(error))
        return FAILED
    say(f"{made.entries} entries are in {partitions} partitions, in {made.seconds:.0f} s")
    say(f"the former log is kept as {FORMER}: once `novaluna audit --all` has found nothing, DROP TABLE {FORMER}")
    return OK
