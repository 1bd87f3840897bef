"""CPU time by process."""

import os
import subprocess
import sys
import time

import pytest

from bench import spent
from bench.rounds import Finding, cpu_table

BUSY = "import time\nwhile time.process_time() < 0.1: pass\n"
PARENT = (
    f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {BUSY!r}])\nprint(flush=True)\nsys.stdin.read()"
)


def test_processes_that_descend_from_it_count_also_when_they_have_ended() -> None:
    with subprocess.Popen([sys.executable, "-c", PARENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        parent.stdout.readline()
        assert 0.09 <= spent.seconds(parent.pid) <= spent.seconds(os.getpid())
        parent.communicate()
    with pytest.raises(ProcessLookupError):
        spent.seconds(parent.pid)


def test_work_is_shared_out_by_process_and_round() -> None:
    meter = spent.Meter({"this": os.getpid()})
    for units in (10, 40):
        meter.begin()
        until = time.process_time() + 0.1
        while time.process_time() < until:
            pass
        meter.end(units, load=0.2)
    first, second = meter.each
    assert 0.028 < first < 0.05
    assert first > 3 * second
    assert meter.each_of("load") == pytest.approx([0.02, 0.005])
    cpu = meter.cpu("GET", "request")
    assert cpu.each["load"] == pytest.approx(8000)
    # 4000 by its own clock; the kernel's counts in hundredths, and is short by two at most per round.
    assert 3200 < cpu.each["this"] < 8000
    meter.clear()
    assert meter.each == []


def test_cpu_table_has_a_column_for_each_process() -> None:
    found = [
        Finding("A", None, (1.0,), "", "", cpu=(spent.Cpu("A", "request", {"web": 1200.4, "load": 50.0}),)),
        Finding("B", None, (1.0,), "", "", cpu=(spent.Cpu("B", "move", {"node": 7.0, "load": 1.0}),)),
        Finding("C", None, (1.0,), "", ""),
    ]
    head, one, two = (line.split() for line in cpu_table(found).splitlines())
    assert head == ["CPU,", "µs", "for", "a", "web", "load", "node", "all"]
    assert one == ["A", "request", "1,200", "50", "1,250"]
    assert two == ["B", "move", "1", "7", "8"]
    assert cpu_table(found[2:]) == ""
