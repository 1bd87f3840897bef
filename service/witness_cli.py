"""The command `novaluna witness`: follow a service's public log from outside, for cron."""

import json
import os
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from engine.audit import check
from engine.errors import RecordError
from engine.forms import parse
from engine.record import stamp
from service.checkpoints import witness_file
from service.checkpoints.encoding import to_base64
from service.checkpoints.errors import CheckpointError
from service.checkpoints.merkle import inclusion_path
from service.checkpoints.notes import Checkpoint
from service.checkpoints.scanning import FORKED, REPEATED, Sighting
from service.checkpoints.witness_file import WitnessFile
from service.console import print_line, say
from service.line_files import UnreadableFile, lines
from service.witness.errors import HistoryChanged, NotReached
from service.witness.fetching import Service
from service.witness.following import EVIDENCE, Witness, is_late
from service.witness.scan_file import ScanFile
from service.witness.scanning import LogScan

ALL_WELL, NOT_SEEN, CHANGED = 0, 1, 2
"""Exit codes: the log only grew; it can't be seen, or is late; its history was changed."""

_WHY = {
    FORKED: "the log has another history of a game than its record",
    REPEATED: "the log has two leaves of one version of a game",
}


def witness(url: str, file: str, records: str | None, vkey: str | None, now: datetime | None = None) -> int:
    """Look at a log once, keep what is seen, and scan it for one's own games.

    Args:
        url: the address of the service, or of one of its logs.
        file: the file of the witness; it is made at the first time.
        records: a file of records whose leaves are looked for, or None.
        vkey: the key that the log must have at the first time; None takes what the service says.
        now: the time; None asks the clock.

    Returns:
        The exit code: 0 if all is well, 1 if the log can't be seen, is not accepted or has not grown for two days, 2 if
            its history was changed, of which the evidence is then kept beside the file.
    """
    try:
        with closing(Service(url)) as service:
            return _Look(service, Path(file), now or datetime.now(UTC)).run(records, vkey)
    except NotReached as error:
        say(str(error))
    except CheckpointError as error:
        say(f"the log is not accepted: {error}")
    except UnreadableFile as error:
        say(str(error))
    except OSError as error:
        say(f"{error.filename or file}: {error.strerror}")
    return NOT_SEEN


class _Look:
    """One run of the command."""

    def __init__(self, service: Service, file: Path, now: datetime) -> None:
        self._service = service
        self._file = file
        self._now = now

    def run(self, records: str | None, vkey: str | None) -> int:
        kept = self._kept()
        given = [] if records is None else list(_records(records))
        watching = Witness(self._service, kept, vkey)
        try:
            found, seen = watching.look(self._now)
        except HistoryChanged as changed:
            say(str(changed))
            self._keep_evidence(changed.error.code, changed.size, changed.evidence)
            return CHANGED
        if found != kept:
            _write(self._file, found.text())
        print_line(f"{seen.origin}: size {seen.size}, root {to_base64(seen.root)}")
        code = ALL_WELL
        if is_late(found, self._now):
            say(f"there has been no new checkpoint since {found.seen[-1][1]}")
            code = NOT_SEEN
        if records is None:
            return code
        return max(code, self._scan(watching, seen, found, records, given))

    def _kept(self) -> WitnessFile | None:
        if not self._file.exists():
            return None
        try:
            with self._file.open("rb") as file:
                return WitnessFile.parse(file.read(witness_file.LARGEST + 1))
        except ValueError as error:
            raise UnreadableFile(f"{self._file}: {error}") from None

    def _scan(
        self, watching: Witness, seen: Checkpoint, found: WitnessFile, name: str, records: Sequence[dict[str, Any]]
    ) -> int:
        path = self._beside("scan")
        scan = LogScan(
            self._service, watching.log, records, _scanned(path, seen.origin), lambda state: _write(path, state.text())
        )
        sightings = scan.run(seen)
        for each in sightings:
            print_line(f"{name}:{each.record + 1}: version {each.version}, index {each.index}: {each.verdict}")
        for verdict in (FORKED, REPEATED):
            games = {(each.record, each.version) for each in sightings if each.verdict == verdict}
            alarming = [each for each in sightings if (each.record, each.version) in games]
            if alarming:
                say(f"{verdict}: {_WHY[verdict]}")
                evidence = self._evidence(watching, seen, found, alarming, scan, records) | {"code": verdict}
                self._keep_evidence(verdict, seen.size, evidence)
        if any(each.verdict in (FORKED, REPEATED) for each in sightings):
            return CHANGED
        if scan.is_unordered:
            say("the entries of a batch are not in the order of their bytes, which may tell what changed when")
            return NOT_SEEN
        return ALL_WELL

    def _evidence(
        self,
        watching: Witness,
        seen: Checkpoint,
        found: WitnessFile,
        alarming: Sequence[Sighting],
        scan: LogScan,
        records: Sequence[dict[str, Any]],
    ) -> dict[str, object]:
        """Return the evidence for others that the log has these leaves, beside the records that say otherwise."""
        nodes, entries = watching.nodes(seen.size), scan.entries()
        leaves = [
            {
                "index": each.index,
                "version": each.version,
                "entry": entries[each.index].hex(),
                "path": [to_base64(part) for part in inclusion_path(each.index, seen.size, nodes.node)],
            }
            for each in alarming
        ]
        return {
            "format": EVIDENCE,
            "found_at": stamp(self._now),
            "policy": found.policy,
            "notes": [found.note],
            "sizes": [seen.size],
            "leaves": leaves,
            "records": [records[place] for place in sorted({each.record for each in alarming})],
        }

    def _keep_evidence(self, code: str, size: int, evidence: dict[str, object]) -> None:
        path = self._beside(f"{code}-{size}.json")
        try:
            _write(path, json.dumps(evidence, ensure_ascii=False, indent=1) + "\n")
        except OSError as error:
            say(f"the evidence can't be kept in {path}: {error.strerror}")
        else:
            say(f"the evidence is in {path}")

    def _beside(self, suffix: str) -> Path:
        return self._file.with_name(f"{self._file.name}.{suffix}")


def _records(name: str) -> list[dict[str, Any]]:
    found = []
    for number, line in enumerate(lines(name), 1):
        try:
            check(line)
        except RecordError as error:
            raise UnreadableFile(f"{name}:{number}: {error.detail}") from None
        found.append(parse(line))
    return found


def _scanned(path: Path, origin: str) -> ScanFile:
    """Return the state of the last scan; a new one if there is none, or it is another log's."""
    if not path.exists():
        return ScanFile(origin)
    try:
        state = ScanFile.parse(path.read_bytes())
    except (ValueError, TypeError, AttributeError, RecursionError):
        raise UnreadableFile(f"{path}: this is not a file of a scan; without it, the scan begins again") from None
    return state if state.origin == origin else ScanFile(origin)


def _write(path: Path, text: str) -> None:
    """Write a file so that it has either its old content or all of the new one, whatever happens."""
    new = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        with new.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)
