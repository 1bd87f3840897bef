"""Files that appear under their name only when they are complete."""

import os
import stat
from pathlib import Path

import pytest

from service.part_file import replacing


def test_two_writers_of_one_file_do_not_disturb_each_other(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"the one before")
    with replacing(file, 0o600) as first:
        first.write(b"first")
        with replacing(file, 0o600) as second:
            second.write(b"second")
            assert file.read_bytes() == b"the one before"
        assert file.read_bytes() == b"second"
    assert file.read_bytes() == b"first"
    assert list(tmp_path.iterdir()) == [file]


def test_what_a_killed_run_has_left_is_deleted_by_the_next(tmp_path: Path) -> None:
    file, left = tmp_path / "file", tmp_path / f"file.{'0' * 16}.part"
    others = [tmp_path / f"other.{'0' * 16}.part", tmp_path / "file.mine.part"]
    for each in (left, *others):
        each.touch()
    with replacing(file, 0o600):
        assert not left.exists()
    assert sorted(tmp_path.iterdir()) == sorted([file, *others])


def test_a_writer_that_fails_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"the one before")
    with pytest.raises(RuntimeError), replacing(file, 0o600):
        raise RuntimeError
    assert file.read_bytes() == b"the one before" and list(tmp_path.iterdir()) == [file]


def test_the_mode_of_the_file_is_the_given_one(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        for mode, found in ((0o600, 0o600), (0o666, 0o644)):
            with replacing(tmp_path / "file", mode):
                pass
            assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == found
    finally:
        os.umask(before)
