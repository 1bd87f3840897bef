"""What Prometheus gets after a game, and that the dashboard asks for nothing else."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from service import metrics
from service.config import ConfigError
from tests.support.running import free_port
from tests.support.web import KEYS
from tests.unit.service.metered_game import BREW

ROOT = Path(__file__).resolve().parents[3]
DASHBOARD = ROOT / "ops" / "grafana" / "nova-luna.json"
OPERATING = ROOT / "docs" / "OPERATING.md"

Samples = dict[str, list[tuple[dict[str, str], float]]]


def told(database_url: str, folder: Path) -> str:
    port = free_port()
    environ = {name: os.environ[name] for name in ("HOME", "PATH") if name in os.environ}
    environ |= {
        "PYTHONPATH": str(ROOT),
        "TMPDIR": str(folder),
        "DATABASE_URL": database_url,
        "NOVALUNA_SECRET_KEY": "a-secret-key-for-the-tests-of-metrics-alone",
        "NOVALUNA_DATA": str(folder / "data"),
        "NOVALUNA_METRICS_PORT": str(port),
    }
    ran = subprocess.run(
        [sys.executable, "-m", "tests.unit.service.metered_game"],
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def samples(text: str) -> Samples:
    found: Samples = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            found.setdefault(sample.name, []).append((sample.labels, sample.value))
    return found


def total(found: Samples, name: str, **labels: str) -> float:
    return sum(value for of, value in found[name] if labels.items() <= of.items())


def asked_for(panel: Any) -> set[str]:
    """Return the metrics in the queries of a panel and of those inside it."""
    names = {name for target in panel.get("targets", []) for name in re.findall(r"\bnovaluna_\w+", target["expr"])}
    return names.union(*(asked_for(inner) for inner in panel.get("panels", [])))


@pytest.mark.slow
def test_after_a_game_all_is_told_and_the_dashboard_asks_for_nothing_else(database_url: str, tmp_path: Path) -> None:
    text = told(database_url, tmp_path)
    found = samples(text)
    moves = {"method": "POST", "route": "/v1/games/<id:game_id>/moves"}
    assert total(found, "novaluna_request_seconds_count", **moves, status="201") == 4
    assert total(found, "novaluna_request_seconds_count", route="/healthz", status="200") == 2  # by two processes
    assert total(found, "novaluna_request_seconds_count", method="other", route="none") == 1
    slow = {"method": "GET", "route": "/v1/games/<id:game_id>", "status": "503"}
    assert total(found, "novaluna_request_seconds_count", **slow) == 1
    assert total(found, "novaluna_request_seconds_sum", **slow) >= 1, "the time that the database was waited for"
    assert total(found, "novaluna_log_entries_total") == 4
    assert total(found, "novaluna_replay_seconds_count") > 0
    assert total(found, "novaluna_mails_total", kind="mail_code", outcome="dropped") == 2  # they were in use before
    assert total(found, "novaluna_mails_total", kind="mail_end", outcome="sent") == 2
    assert total(found, "novaluna_database_up") == 1
    assert total(found, "novaluna_jobs_due") == total(found, "novaluna_oldest_due_job_seconds") == 0
    dashboard = json.loads(DASHBOARD.read_text())
    asked = set().union(*(asked_for(panel) for panel in dashboard["panels"]))
    not_counted = {"novaluna_bounces_total", "novaluna_set_aside_total"}  # no mail came back, and no row failed
    assert asked <= found.keys() | not_counted
    shown = {name for name in found if not name.endswith(("_created", "_sum", "_bucket", "_count"))}
    assert shown <= asked
    values = {value for of in found.values() for labels, _ in of for value in labels.values()}
    assert not [value for value in values if "@" in value or BREW in value or re.fullmatch(r"[A-Za-z0-9]{12}", value)]
    for private in ("ann", "ben", KEYS[0]):
        assert private not in values


def test_the_dashboard_shows_every_metric_that_operating_lists() -> None:
    rows = re.findall(r"^\| `novaluna_.*", OPERATING.read_text(), re.MULTILINE)
    listed = {name for row in rows for name in re.findall(r"`(novaluna_\w+)`", row)}
    asked = set().union(*(asked_for(panel) for panel in json.loads(DASHBOARD.read_text())["panels"]))
    assert listed and listed <= {re.sub("_(bucket|sum|count)$", "", name) for name in asked}


def test_the_dashboard_is_one_that_can_be_imported() -> None:
    dashboard = json.loads(DASHBOARD.read_text())
    assert dashboard["id"] is None
    [source] = [variable for variable in dashboard["templating"]["list"] if variable["type"] == "datasource"]
    assert source["query"] == "prometheus"
    panels = [panel for panel in dashboard["panels"] if panel["type"] != "row"]
    assert len({panel["id"] for panel in dashboard["panels"]}) == len(dashboard["panels"])
    for panel in panels:
        assert panel["title"]
        assert panel["datasource"] == {"type": "prometheus", "uid": f"${{{source['name']}}}"}
        place = panel["gridPos"]
        assert place["x"] >= 0 and place["x"] + place["w"] <= 24
        for target in panel["targets"]:
            assert target["expr"].count("(") == target["expr"].count(")")


COUNT_WITHOUT_A_PORT = f"""
import os, sys
from service import metrics
from service.config import Settings
metrics.begin(Settings(database_url="postgresql:///", secret_keys={KEYS!r}))
metrics.answered("GET", "/", 200, 0.1)
metrics.replayed(0.1)
metrics.entry_added()
metrics.mail("mail_turn", "sent")
metrics.mail_in("kept")
metrics.bounce("noted")
metrics.overloaded(1)
metrics.connection_given_up()
metrics.set_aside("remind")
metrics.database_error(None)
metrics.transaction_repeated()
print("prometheus_client" in sys.modules, "PROMETHEUS_MULTIPROC_DIR" in os.environ)
"""


def test_without_a_port_nothing_is_counted(tmp_path: Path) -> None:
    environ = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path)}
    argv = [sys.executable, "-c", COUNT_WITHOUT_A_PORT]
    assert subprocess.run(argv, env=environ, capture_output=True, text=True, check=True).stdout == "False False\n"
    assert list(tmp_path.iterdir()) == []


def test_the_first_empties_the_folder_and_another_owners_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    folder = metrics.folder_of(9100)
    first = metrics._share(folder)
    (folder / "counter_1.db").write_bytes(b"")
    second = metrics._share(folder)
    assert (folder / "counter_1.db").exists()
    os.close(first)
    os.close(second)
    os.close(metrics._share(folder))
    assert not (folder / "counter_1.db").exists()
    folder.chmod(0o755)
    with pytest.raises(ConfigError, match=r"^NOVALUNA_METRICS_PORT needs the folder .* Remove it\.$"):
        metrics._share(folder)
