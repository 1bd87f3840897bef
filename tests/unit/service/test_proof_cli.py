"""`novaluna audit RECORD --proof …` and the verifier in Node give what the vectors of bundles expect."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from engine import record
from tests.support.checkpoint_vectors import POLICY, RECORDS, case, cases
from tests.support.command_line import Ran, run_in
from tests.support.javascript import NODE, VERIFIER, needs_node
from tests.unit.service.test_records_cli import novaluna

FINISHED = "both leaves of a game under the newest checkpoint"


class Files:
    """The files of one case: a record, a bundle, a policy, and a kept checkpoint, if the case has one."""

    def __init__(self, folder: Path, case: dict[str, Any]) -> None:
        self.record = folder / "a.jsonl"
        self.proof = folder / "a.proof.json"
        self.policy = folder / "policy.txt"
        self.record.write_bytes(record.line(RECORDS[case["record"]]))
        self.proof.write_text(json.dumps(case["bundle"], indent=2))
        self.policy.write_text(case.get("policy", POLICY))
        self.arguments = [str(self.record), "--proof", str(self.proof), "--policy", str(self.policy)]
        if "known" in case:
            known = folder / "known.json"
            known.write_text(json.dumps(case["known"]))
            self.arguments += ["--known", str(known)]

    def audit(self) -> Ran:
        return run_in({}, "audit", *self.arguments)

    def node(self) -> Ran:
        assert NODE is not None
        ran = subprocess.run([NODE, str(VERIFIER), *self.arguments], capture_output=True, text=True, check=False)
        return Ran(ran.returncode, ran.stdout, ran.stderr)


def name(case: dict[str, Any]) -> str:
    return str(case["name"])


@pytest.fixture
def finished(tmp_path: Path) -> Files:
    return Files(tmp_path, case(FINISHED))


def hold(ran: Ran, files: Files, case: dict[str, Any]) -> None:
    """Hold that a command says what the case expects."""
    told = [line.removeprefix(f"{files.record}:1: ") for line in ran.out.splitlines()]
    assert ran.err == ""
    if "refused" in case["expect"]:
        assert (ran.code, len(told)) == (1, 1)
        assert told[0].startswith(f"{case['expect']['refused']}: ")
        return
    assert ran.code == 0
    *found, signers = told
    assert found == [
        f"version {version}, {status}, index {index}, size {size}"
        for version, status, index, size in case["expect"]["ok"]
    ]
    alone = "quorum none" in case.get("policy", POLICY)
    assert (signers == "signed by the operator alone") == alone


@pytest.mark.parametrize("case", cases("bundle"), ids=name)
def test_audit_judges_a_bundle_as_the_vector_says(case: dict[str, Any], tmp_path: Path) -> None:
    files = Files(tmp_path, case)
    hold(files.audit(), files, case)


@needs_node
@pytest.mark.drill
@pytest.mark.tenth
@pytest.mark.parametrize("case", cases("bundle"), ids=name)
def test_node_judges_a_bundle_as_the_vector_says(case: dict[str, Any], tmp_path: Path) -> None:
    files = Files(tmp_path, case)
    hold(files.node(), files, case)


def test_broken_record_is_refused_before_its_proofs(finished: Files) -> None:
    finished.record.write_bytes(finished.record.read_bytes().replace(b'"seq":3}', b'"seq":4}'))
    finished.policy.write_text("nothing")
    assert finished.audit() == (1, finished.audit().out, "")
    assert ":1: entry 3: entry: " in finished.audit().out


def test_policy_is_refused_before_the_bundle(finished: Files) -> None:
    finished.policy.write_text("quorum none\n")
    finished.proof.write_text("[]")
    assert ":1: policy_malformed: " in finished.audit().out


def test_file_of_a_witness_is_a_kept_checkpoint(finished: Files, tmp_path: Path) -> None:
    kept = tmp_path / "witness.json"
    known = {"size": 1280, "root": "N5v2OqpbvzpNmomOtED7SbH7LgCLxT7i8RZDFrzFbAw="}
    kept.write_text(json.dumps({"format": "nova-luna-witness/1", "policy": "", "known": known, "note": "", "seen": []}))
    finished.arguments += ["--known", str(kept)]
    assert ":1: split_view: " in finished.audit().out


@pytest.mark.parametrize(
    "kept",
    [
        "1280",
        "{",
        '{"size": 1280}',
        '{"size": "1280", "root": "0jaKk8P2IHyopoHJSsIOI0dbMdXuZ9Du+ymnKRrmrW0="}',
        '{"size": true, "root": "0jaKk8P2IHyopoHJSsIOI0dbMdXuZ9Du+ymnKRrmrW0="}',
        '{"size": 1280, "root": "0jaKk8P2IHyopoHJSsIOI0dbMdXuZ9Du+ymnKRrmrW1="}',
        '{"size": 0, "root": "0jaKk8P2IHyopoHJSsIOI0dbMdXuZ9Du+ymnKRrmrW0="}',
        '{"format": "nova-luna-witness/1"}',
    ],
)
def test_what_is_no_kept_checkpoint_is_said_so(kept: str, finished: Files, tmp_path: Path) -> None:
    file = tmp_path / "kept.json"
    file.write_text(kept)
    finished.arguments += ["--known", str(file)]
    ran = finished.audit()
    assert (ran.code, ran.out) == (2, "")
    assert str(file) in ran.err and ran.err.count("\n") == 1


def test_proof_without_policy_is_wrong_usage(finished: Files) -> None:
    for arguments in (finished.arguments[:3], finished.arguments[:1] + finished.arguments[3:], finished.arguments[1:]):
        ran = novaluna("audit", *arguments)
        assert ran.returncode == 2
    assert novaluna("audit", *finished.arguments, str(finished.record)).returncode == 2


def test_one_record_is_expected_beside_a_proof(finished: Files) -> None:
    line = finished.record.read_bytes()
    for content, why in ((line + line, "one record was expected"), (b"", "nothing to read")):
        finished.record.write_bytes(content)
        ran = finished.audit()
        assert (ran.code, ran.out) == (2, "")
        assert why in ran.err
        assert NODE is None or finished.node()[:2] == (2, "")


def test_missing_file_is_named(finished: Files) -> None:
    for missing in (finished.proof, finished.policy, finished.record):
        content = missing.read_bytes()
        missing.unlink()
        ran = finished.audit()
        assert (ran.code, ran.out) == (2, "")
        assert f"{missing}: No such file" in ran.err
        missing.write_bytes(content)


@needs_node
def test_bundle_without_proofs_is_not_accepted(finished: Files) -> None:
    finished.proof.write_text('{"format": "nova-luna-proof/1", "proofs": [], "consistency": []}')
    for ran in (finished.audit(), finished.node()):
        assert ran.code == 1 and ":1: bundle_malformed: it has no proof" in ran.out
