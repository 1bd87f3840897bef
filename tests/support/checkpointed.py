"""Make checkpoints of a test's database, as the worker does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from flask import Flask

from service.api.context import context_of
from service.config import Settings
from service.jobs.checkpoints import BATCH, CheckpointMaker
from service.jobs.worker_context import sessions

SEED = b"the key of the tests' checkpoints"[:32]


def checkpoint(settings: Settings, clock: Callable[[], datetime]) -> None:
    """Make a checkpoint now of the database of these settings."""
    make_session = sessions(settings, 1, BATCH)
    CheckpointMaker(replace(settings, checkpoint_keys=(SEED,)), make_session, clock).run(at_once=True)
    make_session.kw["bind"].dispose()


def checkpoint_of(app: Flask) -> None:
    """Make a checkpoint now of the database of an application."""
    context = context_of(app)
    checkpoint(context.settings, context.clock)
