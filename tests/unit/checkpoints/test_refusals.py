"""What is refused, one fault at a time: notes, policies, proofs, bundles, and what they prove together."""

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from service.checkpoints import notes
from service.checkpoints.bundles import Bundle
from service.checkpoints.encoding import to_base64
from service.checkpoints.endorsements import endorsed, endorsement
from service.checkpoints.errors import CODES, CheckpointError
from service.checkpoints.keys import WITNESS, VerifyKey
from service.checkpoints.merkle import EMPTY
from service.checkpoints.notes import Checkpoint, SignedNote
from service.checkpoints.policies import Policy
from service.checkpoints.proofs import Consistency, Proof
from service.checkpoints.verifying import Known, Proved, verify
from tests.support.checkpoint_vectors import POLICY, RECORDS, case
from tests.support.made_log import ORIGIN, MadeLog, entry_at, key, witness

RECORD = RECORDS["a"]
LINE = f"— {ORIGIN} {to_base64(bytes(68))}\n"
ONE, TWO, THREE = (f"witness w{n} {witness(n).public.vkey}" for n in (1, 2, 3))


def code(run: Callable[[], Any]) -> str:
    with pytest.raises(CheckpointError) as refused:
        run()
    assert refused.value.code in CODES and refused.value.detail
    return refused.value.code


@pytest.fixture(scope="module")
def log() -> MadeLog:
    made = MadeLog()
    made.batch([entry_at(RECORD, 6)])
    made.batch()
    made.batch([entry_at(RECORD, 12)])
    return made


@pytest.mark.parametrize(
    "whole",
    [
        "",
        "\n\n",
        "text\n",
        "text\n\n",
        "text\n\nsignature\n",
        f"text\n{LINE}",
        f"text\n\n{LINE[:-1]}",
        f"text\n\n{LINE}\n",
        f"text\n\n{LINE}x",
        f"text\t\n\n{LINE}",
        f"text\r\n\n{LINE}",
        f"text\x00\n\n{LINE}",
        f"\ud800\n\n{LINE}",
        f"text\n\n{LINE.replace('—', '-')}",
        f"text\n\n{LINE.replace('— ', '—  ')}",
        f"text\n\n{LINE.replace('.', '+')}",
        f"text\n\n{LINE.replace('.', chr(0x3000))}",
        f"text\n\n{LINE.replace('=', '')}",
        f"text\n\n{LINE.replace('A=', 'B=')}",
        f"text\n\n— {ORIGIN} {to_base64(bytes(4))}\n",
        "text\n\n" + LINE * 101,
        "x" * 65_536 + f"\n\n{LINE}",
    ],
)
def test_text_that_is_no_note_is_refused(whole: str) -> None:
    assert code(lambda: SignedNote.parse(whole)) == "note_malformed"


def test_note_of_other_bytes_is_refused() -> None:
    assert code(lambda: SignedNote.parse(b"\xff\n\n" + LINE.encode())) == "note_malformed"


def test_largest_note_is_read_and_split_at_its_last_empty_line() -> None:
    text = "a\n\n" + "b" * (65_536 - 100 * len(LINE.encode()) - 5)
    note = SignedNote.parse(f"{text}\n\n" + LINE * 100)
    assert note.text == f"{text}\n"
    assert len(note.signatures) == 100 and len(note.whole.encode()) == 65_536


def test_signatures_of_strangers_are_ignored_and_of_known_keys_are_not(log: MadeLog) -> None:
    policy = Policy.parse(log.policy(ONE))
    good = log.note()
    stranger = key(ORIGIN, 2).sign("another text\n")
    assert policy.check(SignedNote.parse(good + stranger)) == log.checkpoint(log.size)
    assert code(lambda: policy.check(SignedNote.parse(good + log.keys[0].sign("another text\n")))) == "signature_bad"
    assert (
        code(lambda: policy.check(SignedNote.parse(good + witness(1).cosign("another text\n", 5)))) == "signature_bad"
    )
    assert (
        code(lambda: policy.check(SignedNote.parse(good + witness(1).sign(log.checkpoint(768).text()))))
        == "signature_bad"
    )
    short = f"— {ORIGIN} {to_base64(log.keys[0].public.id + bytes(63))}\n"
    assert code(lambda: policy.check(SignedNote.parse(good + short))) == "signature_bad"
    assert code(lambda: policy.check(SignedNote.parse(good.split("—")[0] + stranger))) == "unsigned"
    cosigned = good.split("—")[0] + witness(1).cosign(log.checkpoint(768).text(), 5)
    assert code(lambda: policy.check(SignedNote.parse(cosigned))) == "unsigned"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{ORIGIN}x\n1\n{to_base64(bytes(32))}\n", "wrong_origin"),
        (f"\n{ORIGIN}\n1\n", "wrong_origin"),
        (f"{ORIGIN}\n", "checkpoint_malformed"),
        (f"{ORIGIN}\n1\n", "checkpoint_malformed"),
        (f"{ORIGIN}\n01\n{to_base64(bytes(32))}\n", "checkpoint_malformed"),
        (f"{ORIGIN}\n-1\n{to_base64(bytes(32))}\n", "checkpoint_malformed"),
        (f"{ORIGIN}\n١\n{to_base64(bytes(32))}\n", "checkpoint_malformed"),
        (f"{ORIGIN}\n{2**53}\n{to_base64(bytes(32))}\n", "checkpoint_malformed"),
        (f"{ORIGIN}\n1\n{to_base64(bytes(31))}\n", "checkpoint_malformed"),
        (f"{ORIGIN}\n1\n{to_base64(bytes(32))}\nmore\n", "checkpoint_malformed"),
        (f"{ORIGIN}\n0\n{to_base64(bytes(32))}\n", "checkpoint_malformed"),
    ],
)
def test_note_without_the_checkpoint_of_the_log_is_refused(text: str, expected: str) -> None:
    policy = Policy.parse(MadeLog().policy())
    assert code(lambda: policy.check(SignedNote.parse(notes.signed(text, [key(ORIGIN)])))) == expected


def test_largest_and_empty_trees_are_checkpoints() -> None:
    for checkpoint in (Checkpoint(ORIGIN, 0, EMPTY), Checkpoint(ORIGIN, 2**53 - 1, bytes(32))):
        assert Checkpoint.parse(checkpoint.text(), ORIGIN) == checkpoint


@pytest.mark.parametrize(
    ("lines", "signers", "met"),
    [
        ([ONE, "quorum w1"], [], False),
        ([ONE, "quorum w1"], [1], True),
        ([ONE, TWO, "group g any w1 w2", "quorum g"], [2], True),
        ([ONE, TWO, "group g all w1 w2", "quorum g"], [2], False),
        ([ONE, TWO, "group g all w1 w2", "quorum g"], [1, 2], True),
        ([ONE, TWO, THREE, "group g 2 w1 w2 w3", "quorum g"], [3], False),
        ([ONE, TWO, THREE, "group g 2 w1 w2 w3", "quorum g"], [1, 3], True),
        ([ONE, TWO, THREE, "group g all w1 w2", "group h any g w3", "quorum h"], [1], False),
        ([ONE, TWO, THREE, "group g all w1 w2", "group h any g w3", "quorum h"], [1, 2], True),
        ([ONE, TWO, "group g any w1", "quorum w2"], [1], False),
        ([ONE, "quorum none"], [], True),
    ],
)
def test_quorum_is_that_of_the_policy(log: MadeLog, lines: list[str], signers: list[int], met: bool) -> None:
    policy = Policy.parse("\n".join([f"log {log.keys[0].public.vkey}", *lines]))
    note = SignedNote.parse(log.note(None, *map(witness, signers)))
    if met:
        assert policy.check(note).size == log.size
        assert policy.names_of(note.signers(party.key for party in policy.witnesses.values())) == [
            f"w{number}" for number in signers
        ]
    else:
        assert code(lambda: policy.check(note)) == "witnesses_missing"


LOG = f"log {key(ORIGIN).public.vkey}"


@pytest.mark.parametrize(
    "lines",
    [
        [],
        [LOG],
        ["quorum none"],
        [LOG, "quorum none", "quorum none"],
        [LOG, "quorum none more"],
        [LOG, "quorum"],
        [LOG, LOG, "quorum none"],
        [LOG, f"log {key('other.example').public.vkey}", "quorum none"],
        [LOG + " https://log.example more", "quorum none"],
        [f"log {witness(1).public.vkey}", "quorum none"],
        [f"LOG {key(ORIGIN).public.vkey}", "quorum none"],
        ["log " + key(ORIGIN).public.vkey.replace("+", " "), "quorum none"],
        ["log " + key(ORIGIN).public.vkey[:-1], "quorum none"],
        ["log x" + key(ORIGIN).public.vkey, "quorum none"],
        [LOG, f"witness w1 {key(ORIGIN).public.vkey}", "quorum none"],
        [LOG, ONE, ONE, "quorum none"],
        [LOG, ONE, ONE.replace("w1 ", "w2 "), "quorum none"],
        [LOG, ONE.replace("w1 ", "none "), "quorum none"],
        [LOG, ONE + " https://w.example more", "quorum none"],
        [LOG, "quorum w1", ONE],
        [LOG, ONE, "group g any", "quorum g"],
        [LOG, ONE, "group g 0 w1", "quorum g"],
        [LOG, ONE, "group g 2 w1", "quorum g"],
        [LOG, ONE, "group g 01 w1", "quorum g"],
        [LOG, ONE, "group g some w1", "quorum g"],
        [LOG, ONE, "group g constructor w1", "quorum g"],
        [LOG, ONE, "group g any w1 w1", "quorum g"],
        [LOG, ONE, "group g any w1", "group h any w1", "quorum g"],
        [LOG, ONE, "group g any w2", "quorum g"],
        [LOG, ONE, "group g any g", "quorum g"],
        [LOG, ONE, "group g any none", "quorum g"],
        [LOG, ONE, "group w1 any w1", "quorum w1"],
        [LOG, ONE, "group none any w1", "quorum none"],
        [LOG + "\r", "quorum none"],
        [LOG, "quorum none", "# \x7f"],
        [LOG, "quorum none", "#" * 65_536],
    ],
)
def test_lines_that_are_no_policy_are_refused(lines: list[str]) -> None:
    assert code(lambda: Policy.parse("\n".join([*lines, ""]))) == "policy_malformed"


def test_policy_is_read_with_spaces_comments_and_addresses() -> None:
    text = f"# whom I trust\n\t{LOG}  https://log.example/ \n\n {ONE}\thttps://w.example\n   # more\nquorum w1"
    policy = Policy.parse(text.encode() + b"\n# caf\xe9 \xff")
    assert policy.origin == ORIGIN and policy.quorum == "w1"
    assert policy.logs[0].url == "https://log.example/" and policy.witnesses["w1"].url == "https://w.example"
    assert Policy.parse(LOG + "\nquorum none").witnesses == {}
    assert code(lambda: Policy.parse("# \ud800")) == "policy_malformed"


@pytest.mark.parametrize(
    "vkey",
    [
        "",
        "name",
        f"+{'0' * 8}+{to_base64(bytes(33))}",
        "a b+" + key("a").public.vkey.split("+", 1)[1],
        key("a").public.vkey.replace("a+", "b+"),
        key("a").public.vkey + "=",
        "a+" + key("a").public.id.hex().upper() + "+" + key("a").public.vkey.split("+", 2)[2],
        VerifyKey("a", 2, bytes(32)).vkey,
        VerifyKey("a", 1, bytes(31)).vkey,
    ],
)
def test_text_that_is_no_vkey_is_refused(vkey: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        VerifyKey.parse(vkey)


def test_keys_are_written_as_they_are_read() -> None:
    for signing in (key("a/b"), witness(1)):
        assert VerifyKey.parse(signing.public.vkey) == signing.public
    with pytest.raises(ValueError, match="name of a key"):
        key("a b")
    line = witness(1).cosign("text\n", 1_700_000_000)
    (signature,) = SignedNote.parse(f"text\n\n{line}").of(witness(1).public)
    assert int.from_bytes(signature[:8], "big") == 1_700_000_000, "the time that the witness names"
    assert not witness(1).public.is_signed(b"text\n", signature[:7])
    # No key has this public half, so nothing is signed by it.
    assert not VerifyKey("a", 1, b"\xff" * 32).is_signed(b"text\n", bytes(64))


def test_endorsement_has_both_keys_and_the_log(log: MadeLog) -> None:
    policy, new = Policy.parse(log.policy()), key(ORIGIN, 2)
    note = endorsement(new, log.keys)
    assert endorsed(SignedNote.parse(note), policy) == new.public
    lines = note.splitlines(keepends=True)
    assert code(lambda: endorsed(SignedNote.parse("".join(lines[:-1])), policy)) == "unsigned"
    assert code(lambda: endorsed(SignedNote.parse("".join(lines[:-2] + lines[-1:])), policy)) == "unsigned"
    forged = key(ORIGIN, 2).sign("another\n")
    assert code(lambda: endorsed(SignedNote.parse("".join(lines[:-1]) + forged), policy)) == "signature_bad"
    for text in (
        f"nova-luna-log-key/2\n{ORIGIN}\n{new.public.vkey}\n",
        f"nova-luna-log-key/1\n{ORIGIN}\n{new.public.vkey}\nmore\n",
        f"nova-luna-log-key/1\n{ORIGIN}\nno vkey\n",
        f"nova-luna-log-key/1\n{ORIGIN}\n{key('other').public.vkey}\n",
        f"nova-luna-log-key/1\n{ORIGIN}\n{key(ORIGIN, 2, WITNESS).public.vkey}\n",
        f"nova-luna-log-key/1\n{ORIGIN}\n",
    ):
        malformed = SignedNote.parse(notes.signed(text, [*log.keys, new]))
        assert code(partial(endorsed, malformed, policy)) == "key_malformed"


@pytest.mark.parametrize(
    ("change", "to"),
    [
        ("c2sp.org/tlog-proof@v1", "c2sp.org/tlog-proof@v2"),
        ("extra ", "extra  "),
        ("extra ", "EXTRA "),
        ("index 172", "index 0172"),
        ("index 172", "index -1"),
        ("index 172", f"index {2**53}"),
        ("index 172\n", ""),
        ("oudbjcZZdTRFFcoic", "oudbjcZZdTRFFcoi"),
        ("index 172", "index 172\n"),
        ("\n\n", "\n"),
        ("index 172", "index 172" + f"\n{to_base64(bytes(32))}" * 53),
    ],
)
def test_text_that_is_no_proof_is_refused(change: str, to: str) -> None:
    text = case("both leaves of a game under the newest checkpoint")["bundle"]["proofs"][0].split("\n— ")[0]
    assert Proof.parse(text).index == 172
    wrong = text.replace(change, to)
    assert wrong != text
    if to == "\n":
        wrong = wrong.replace("\n\n", "\n")
    if change == "index 172" and to == "index 172\n":
        # An empty line ends the path early, so what follows is the note.
        assert Proof.parse(wrong).path == ()
        return
    assert code(lambda: Proof.parse(wrong)) == "proof_malformed"


@pytest.mark.parametrize(
    "leaf",
    [
        b"",
        b"nova-luna-leaf/1 6 running",
        b"nova-luna-leaf/2 6 running " + b"0" * 128,
        b"nova-luna-leaf/1 06 running " + b"0" * 128,
        b"nova-luna-leaf/1 %d running " % 2**32 + b"0" * 128,
        b"nova-luna-leaf/1 6 ended " + b"0" * 128,
        b"nova-luna-leaf/1 6 running " + b"0" * 127,
        b"nova-luna-leaf/1 6 running " + b"A" * 128,
        b"nova-luna-leaf/1 6 running " + b"0" * 128 + b" ",
        b"nova-luna-leaf/1  6 running " + b"0" * 128,
        b"\xff",
    ],
)
def test_extra_that_is_no_leaf_is_refused(leaf: bytes) -> None:
    text = f"c2sp.org/tlog-proof@v1\nextra {to_base64(leaf)}\nindex 0\n\nnote"
    assert code(lambda: Proof.parse(text)) == "proof_malformed"


@pytest.mark.parametrize("text", ["", "old 1", "old 01\n\nnote", "old\n\nnote", "old 1\nhash\n\nnote", "\n\nnote"])
def test_text_that_is_no_proof_of_consistency_is_refused(text: str) -> None:
    assert code(lambda: Consistency.parse(text)) == "proof_malformed"


def test_proofs_are_written_as_they_are_read(log: MadeLog) -> None:
    proof, step = log.proof(RECORD, 6, 768), log.consistency(256, 768)
    assert Proof.parse(proof.text()) == proof
    assert Consistency.parse(step.text()) == step
    bundle = Bundle((proof.text(),), (step.text(),))
    assert Bundle.parse(json.dumps(bundle.to_json(), indent=3).encode()) == bundle


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"null",
        b"\xef\xbb\xbf" + json.dumps(Bundle(("",)).to_json()).encode(),
        json.dumps(Bundle(("",)).to_json()).encode("utf-16"),
        b'{"format": "nova-luna-proof/1", "proofs": [""]}',
        b'{"format": "nova-luna-proof/2", "proofs": [""], "consistency": []}',
        b'{"format": "nova-luna-proof/1", "proofs": "", "consistency": []}',
        b'{"format": "nova-luna-proof/1", "proofs": [1], "consistency": []}',
        b'{"format": "nova-luna-proof/1", "proofs": [""], "consistency": [null]}',
        b'{"format": "nova-luna-proof/1", "proofs": [""], "consistency": {}}',
        b'{"format": "nova-luna-proof/1", "proofs": [], "consistency": []}',
        b"[" * 100_000,
        b'{"format": "nova-luna-proof/1", "proofs": [""], "consistency": [], "a": ' + b"1" * 5_000 + b"}",
    ],
)
def test_bytes_that_are_no_bundle_are_refused(data: bytes) -> None:
    assert code(lambda: Bundle.parse(data)) == "bundle_malformed"


def judged(log: MadeLog, proofs: list[Proof], steps: list[Consistency], known: Known | None = None) -> list[Proved]:
    bundle = Bundle(tuple(each.text() for each in proofs), tuple(each.text() for each in steps))
    return verify(RECORD, bundle, Policy.parse(log.policy()), known)


def kept(log: MadeLog, size: int) -> Known:
    return Known(size, log.checkpoint(size).root)


def test_sizes_have_to_lead_to_the_largest(log: MadeLog) -> None:
    first, last = log.proof(RECORD, 6, 256), log.proof(RECORD, 12, 768)
    assert [each.size for each in judged(log, [first, last], [log.consistency(256, 768)])] == [256, 768]
    assert code(lambda: judged(log, [first, last], [])) == "unlinked"
    assert code(lambda: judged(log, [last], [], kept(log, 512))) == "unlinked"
    assert len(judged(log, [last], [log.consistency(512, 768)], kept(log, 512))) == 1
    chain = [log.consistency(256, 512), log.consistency(512, 768)]
    assert len(judged(log, [first, last], chain)) == 2
    assert code(lambda: judged(log, [last], [log.consistency(100, 768)])) == "unlinked"
    # Both larger trees begin with the smaller one, which does not show that they agree.
    fan = [log.consistency(256, 512), log.consistency(256, 768)]
    assert code(lambda: judged(log, [first, last], fan)) == "unlinked"
    assert len(judged(log, [first, last], [*fan, chain[1]])) == 2


def test_the_empty_tree_joins_nothing(log: MadeLog) -> None:
    first, last = log.proof(RECORD, 6, 256), log.proof(RECORD, 12, 768)
    empty = [log.consistency(0, 256), log.consistency(0, 768)]
    assert code(lambda: judged(log, [first, last], empty)) == "unlinked"
    assert len(judged(log, [last], empty[1:])) == 1
    assert len(judged(log, [last], empty[1:], Known(0, EMPTY))) == 1
    assert code(lambda: judged(log, [last], [], Known(0, EMPTY))) == "unlinked"


def test_a_log_that_was_written_anew_is_found(log: MadeLog) -> None:
    other = log.copy(256, "another history")
    other.batch([entry_at(RECORD, 12)])
    other.batch()
    last = log.proof(RECORD, 12, 768)
    assert code(lambda: judged(log, [last], [], kept(other, 768))) == "split_view"
    assert code(lambda: judged(log, [last, other.proof(RECORD, 12, 768)], [])) == "split_view"
    wrong = log.consistency(512, 768)
    assert code(lambda: judged(log, [last], [wrong], kept(other, 512))) == "not_consistent"
    backwards = wrong._replace(old=768, note=log.note(512))
    assert code(lambda: judged(log, [last], [backwards], kept(log, 512))) == "not_consistent"


def test_vectors_policy_is_signed_by_the_operator_alone() -> None:
    assert Policy.parse(POLICY).quorum is None
