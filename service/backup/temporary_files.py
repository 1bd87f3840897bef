"""Temporary files, and what to do if there is no room for them."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import IO

from service.backup.errors import BackupError


@contextmanager
def temporary_file() -> Iterator[IO[bytes]]:
    """Open a temporary file that is deleted after the block.

    Raises:
        BackupError: none can be created.
    """
    with ExitStack() as stack:
        with room_for_temporary_files():
            file = stack.enter_context(tempfile.TemporaryFile())
        yield file


@contextmanager
def room_for_temporary_files() -> Iterator[None]:
    """Turn an error of the block, which reads a stream and writes a temporary file, into one that names the folder.

    Raises:
        BackupError: the file can't be written, or the stream can't be read.
    """
    try:
        yield
    except OSError as error:
        folder = tempfile.tempdir or os.environ.get("TMPDIR") or "/tmp"
        raise BackupError(
            f"A temporary file can't be written in {folder}: {error.strerror or error}. Name a folder with room for "
            "the whole backup by TMPDIR."
        ) from None
