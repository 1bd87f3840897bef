"""pgbench is given the statement of a move as the service writes it, with a value for each parameter."""

import re

from bench.queue import script


def test_each_parameter_of_a_move_has_a_value() -> None:
    written = script()
    assert "INSERT INTO log" in written and "INSERT INTO procrastinate_jobs" in written
    assert not re.search(r"%\(|None", written)
