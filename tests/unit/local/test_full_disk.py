"""A full disk, as the health checks report it."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import create_engine
from sqlalchemy.exc import OperationalError

from service.local.postgres import Postgres
from service.queries.database_state import FULL, cause
from service.store import disk_space
from service.store.base import engine_url

MB = 1024 * 1024


@pytest.fixture
def small_disk(open_folder: Path) -> Iterator[Path]:
    """Yield a folder on a disk of its own, of 120 MB."""
    if os.geteuid() != 0:
        pytest.skip("only root can mount a disk")
    disk = open_folder / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=120m,mode=711", "nova-luna-test", str(disk)], check=True)
    yield disk
    subprocess.run(["umount", "--lazy", str(disk)], check=True)


def test_a_full_disk_is_found_before_a_move_is_lost_to_it(small_disk: Path) -> None:
    with Postgres(small_disk / "data", settings={"fsync": "off", "shared_buffers": "16MB"}) as postgres:
        engine = create_engine(engine_url(postgres.url))
        with engine.begin() as connection:
            disk_space.check(connection)
        free = os.statvfs(small_disk)
        filler = small_disk / "filler"
        filler.write_bytes(bytes(free.f_bavail * free.f_frsize - MB // 4))
        with pytest.raises(OperationalError) as refused, engine.begin() as connection:
            disk_space.check(connection)
        assert cause(refused.value) == FULL
        filler.unlink()
        with engine.begin() as connection:
            disk_space.check(connection)
        engine.dispose()
