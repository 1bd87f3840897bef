"""Make checkpoints: a batch when one is due, then its signature, then those of the witnesses (docs/CHECKPOINTS.md).

Each step is a transaction of its own, under a lock, and looks at what is stored. So after a crash the next run goes on
where the last one stopped: it signs and publishes what is there before it adds anything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

import structlog
from procrastinate import App
from sqlalchemy.orm import Session, sessionmaker

from service import metrics
from service.checkpoints.keys import SigningKey
from service.checkpoints.notes import with_lines
from service.checkpoints.policies import Party, Policy
from service.checkpoints.proofs import Consistency
from service.commands import checkpoint_batches, checkpoint_logs, checkpoint_policy, checkpoint_signing
from service.commands.checkpoint_folder import NoteFolder
from service.commands.checkpoint_logs import RolledBack
from service.config import Settings
from service.errors import Refusal
from service.jobs import witnesses
from service.jobs.backoff import SOON
from service.jobs.worker_context import WorkerContext, sessions
from service.queries import checkpoint_proofs
from service.store import checkpoints
from service.store.checkpoints import Batch, Log, StoredNote
from service.store.connecting import TimeoutPolicy

PATIENCE = timedelta(minutes=10)
"""How long a checkpoint waits for a quorum before it is published without one."""

BATCH = TimeoutPolicy(statement=3600, lock=60, idle=600)
"""The time-outs of a batch. The first one of a large site reads the headers of all its games."""

_EVERY_MINUTE = "* * * * *"
_ALONE = "checkpoints"
_AT_ONCE = 8

_log = structlog.get_logger(__name__)


def register(app: App, context: WorkerContext) -> None:
    """Register the periodic task, which looks every minute for what there is to do. Only one runs at a time."""
    maker: CheckpointMaker | None = None

    @app.periodic(cron=_EVERY_MINUTE)
    @app.task(name="make_checkpoints", retry=SOON, lock=_ALONE, queueing_lock=_ALONE)
    def make_checkpoints(timestamp: int) -> None:
        nonlocal maker
        if not context.settings.checkpoint_keys:
            return
        if maker is None:
            maker = CheckpointMaker(context.settings, sessions(context.settings, 1, BATCH), context.clock)
        maker.run_and_log()


class CheckpointMaker:
    """Makes the checkpoints of a service; it remembers cosignatures until the checkpoint is published.

    Args:
        settings: the settings, with the seeds of the keys.
        make_session: creates sessions with the time-outs `BATCH`.
        clock: returns the time in UTC.
        post: sends a request to a witness.
    """

    def __init__(
        self,
        settings: Settings,
        make_session: sessionmaker[Session],
        clock: Callable[[], datetime],
        post: witnesses.Post = witnesses.post,
    ) -> None:
        self._settings, self._sessions, self._clock, self._post = settings, make_session, clock, post
        self._folder = NoteFolder(settings.data_dir)
        self._cosigned: dict[tuple[int, int], dict[str, str]] = {}
        self._sizes: dict[tuple[int, str], int] = {}
        self._last_refusal = ""

    def run_and_log(self) -> None:
        """Do what there is to do. What keeps it from going on is logged when it is new, and counted each time."""
        try:
            self.run()
        except Refusal as refusal:
            metrics.checkpoint("refused")
            if str(refusal) != self._last_refusal:
                self._last_refusal = str(refusal)
                _log.error("no checkpoint", code=refusal.code, why=refusal.detail)
            return
        self._last_refusal = ""

    def run(self, *, at_once: bool = False) -> None:
        """Sign and publish what is stored; then, if a batch is due, make one, sign it and publish it.

        Args:
            at_once: make a batch whether one is due or not.

        Raises:
            Refusal: something has to be set right before, such as `checkpoint_rolled_back`.
        """
        log = self._prepare()
        if log is not None:
            self._finish(log)
        with self._sessions() as session:
            is_due = at_once or checkpoint_logs.is_due(session, self._clock(), self._settings.checkpoint_every)
        if is_due:
            self._finish(self._add_batch(log, at_once=at_once))

    def _keys(self, log: Log) -> list[SigningKey]:
        return [SigningKey(log.origin, seed) for seed in self._settings.checkpoint_keys]

    def _policy(self, log: Log) -> Policy:
        vkeys = [key.public.vkey for key in self._keys(log)]
        return Policy.parse(checkpoint_policy.text(self._settings, vkeys, ""))

    def _prepare(self) -> Log | None:
        """Check the open log and enter its keys; return it, or None if none is open."""
        with self._sessions.begin() as session:
            checkpoints.lock(session)
            log = checkpoints.newest_log(session)
            if log is None or log.closed_at is not None:
                return None
            checkpoint_logs.check(session, self._folder, log)
            checkpoint_logs.enter_keys(session, log, self._keys(log), self._clock())
            return log

    def _add_batch(self, log: Log | None, *, at_once: bool) -> Log:
        """Make a batch, unless another worker has just made it, and return its log."""
        if log is not None:
            self._probe(log)
        with self._sessions.begin() as session:
            checkpoints.lock(session)
            now = self._clock()
            log = checkpoint_logs.open_log(session, self._folder, self._settings.base_url, now)
            if checkpoint_signing.unsigned(session, log) is not None:
                return log
            if at_once or checkpoint_logs.is_due(session, now, self._settings.checkpoint_every):
                checkpoint_logs.enter_keys(session, log, self._keys(log), now)
                batch = checkpoint_batches.make(session, log, now)
                _log.info("batch made", log=log.number, size=batch.size, leaves=batch.leaves)
        return log

    def _finish(self, log: Log) -> None:
        """Sign the batch that is stored and not signed; then publish the note that is signed and not published."""
        with self._sessions() as session:
            batch = checkpoint_signing.unsigned(session, log)
        if batch is not None:
            self._probe(log)
            with self._sessions.begin() as session:
                checkpoints.lock(session)
                open_now = checkpoints.newest_log(session)
                if open_now is None or open_now.number != log.number or open_now.closed_at is not None:
                    return  # it was closed meanwhile
                checkpoint_signing.sign(session, log, self._keys(log), self._folder, self._clock())
            metrics.checkpoint("signed")
        with self._sessions() as session:
            note = checkpoint_signing.unpublished(session, log)
            batch = None if note is None else checkpoints.batch_of(session, log.number, note.size)
        if note is not None and batch is not None:
            self._publish(log, batch, note)

    def _probe(self, log: Log) -> None:
        """Raise RolledBack if a witness has seen more of the log than was signed according to the database.

        It is asked to cosign once more what was signed last; before the first checkpoint, the empty tree.
        """
        with self._sessions() as session:
            note = checkpoint_signing.last_signed(session, log, self._keys(log))
            batch = checkpoints.batch_of(session, log.number, note.size)
        self._ask(log, self._asked(log), note, batch)

    def _asked(self, log: Log) -> dict[str, Party]:
        return {name: party for name, party in self._policy(log).witnesses.items() if party.url is not None}

    def _ask(
        self, log: Log, asked: Mapping[str, Party], note: StoredNote, batch: Batch | None
    ) -> dict[str, witnesses.Answer]:
        """Ask witnesses, several at a time, to cosign a note of a log; `batch` is None for the empty tree.

        Raises:
            RolledBack: one of them knows more, or another tree.
        """

        def prove(old: int) -> Consistency:
            if batch is None:
                return Consistency(old, (), note.note)
            with self._sessions() as session:
                return checkpoint_proofs.consistency(session, batch, old, note.note)

        def ask(party: Party) -> witnesses.Answer:
            assert party.url is not None
            old = min(self._sizes.get((log.number, party.key.vkey), note.size), note.size)
            return witnesses.ask(self._post, party.key, party.url, note.size, old, prove)

        with ThreadPoolExecutor(_AT_ONCE) as pool:
            answers = dict(zip(asked, pool.map(ask, asked.values()), strict=True))
        for name, answer in answers.items():
            if answer.size is not None:
                self._sizes[log.number, asked[name].key.vkey] = answer.size
            if answer.problem:
                _log.warning("no cosignature", log=log.number, witness=name, why=answer.problem)
            if answer.is_ahead:
                raise RolledBack(log.number, f"according to the witness {name}, {answer.problem}")
        return answers

    def _publish(self, log: Log, batch: Batch, signed: StoredNote) -> None:
        """Have the witnesses cosign a note, and publish it if the quorum is met or it has waited long enough."""
        policy = self._policy(log)
        lines = self._cosigned.setdefault((log.number, signed.size), {})
        missing = {name: party for name, party in self._asked(log).items() if name not in lines}
        answers = self._ask(log, missing, signed, batch)
        lines |= {name: answer.line for name, answer in answers.items() if answer.line is not None}
        if not policy.is_met(lines) and self._clock() - signed.signed_at < PATIENCE:
            return
        with self._sessions.begin() as session:
            checkpoints.lock(session)
            note = with_lines(signed.note, lines.values())
            checkpoint_signing.publish(session, log, signed.size, note, list(lines), self._clock())
        del self._cosigned[log.number, signed.size]
        metrics.checkpoint("published" if policy.is_met(lines) else "published_without_quorum")
        _log.info("checkpoint published", log=log.number, size=signed.size, witnesses=len(lines))
