"""Keep the newest note of each log of checkpoints in the data folder, where no restored backup can make it older."""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path

from service.checkpoints.errors import CheckpointError
from service.checkpoints.notes import Checkpoint, SignedNote
from service.errors import Conflict

_NAME = re.compile(r"([1-9][0-9]{0,3})\.note")


class FolderNotMade(Conflict):
    """No checkpoint can be made; the sentence is for the host, in English."""


class NoteFolder:
    """The folder with a note for each log, `checkpoints/1.note` and so on. Without a data folder it is always empty."""

    def __init__(self, data_dir: Path | None) -> None:
        self._folder = None if data_dir is None else data_dir / "checkpoints"

    def newest_log(self) -> int:
        """Return the largest number of a log that has a note here; 0 if there is none."""
        if self._folder is None or not self._folder.is_dir():
            return 0
        found = [_NAME.fullmatch(path.name) for path in self._folder.iterdir()]
        return max((int(match[1]) for match in found if match), default=0)

    def read(self, log: int) -> Checkpoint | None:
        """Return the checkpoint of a log's note, with the origin that it names; None if there is no note.

        Raises:
            NotMade: `checkpoint_note_damaged`, as nobody can tell what was signed.
        """
        path = self._path(log)
        if path is None or not path.exists():
            return None
        try:
            text = SignedNote.parse(path.read_bytes()).text
            return Checkpoint.parse(text, text.partition("\n")[0])
        except CheckpointError as error:
            raise FolderNotMade(
                "checkpoint_note_damaged",
                f"{path} is no checkpoint ({error.detail}). Put back the newest one that was published, or close the"
                " log: novaluna checkpoints close --reason TEXT",
            ) from None

    def write(self, log: int, note: str) -> None:
        """Write a log's newest note, so that it is on the disk when this returns, and never half of it."""
        path = self._path(log)
        if path is None:
            return
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".note-")
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(note)
                file.flush()
                os.fsync(descriptor)
            os.rename(name, path)
        except BaseException:
            os.unlink(name)
            raise
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def _path(self, log: int) -> Path | None:
        return None if self._folder is None else self._folder / f"{log}.note"
