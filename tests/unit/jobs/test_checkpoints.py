"""Checkpoints are made when they are due, signed once, cosigned and published; a log that went back goes no further."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import Engine, text
from sqlalchemy.exc import OperationalError

from service import metrics
from service.checkpoints.endorsements import endorsed
from service.checkpoints.keys import SigningKey
from service.checkpoints.notes import SignedNote
from service.checkpoints.policies import Policy
from service.commands import checkpoint_batches, checkpoint_logs, checkpoint_policy, checkpoint_signing
from service.commands.checkpoint_folder import FolderNotMade, NoteFolder
from service.commands.checkpoint_logs import RolledBack
from service.jobs import checkpoints as jobs
from service.store import checkpoints
from tests.support.checkpoint_site import ORIGIN, SEEDS, Site, make_site
from tests.support.clock import NOW

site = make_site


@pytest.fixture
def began(site: Site) -> Site:
    """Return a site with a game and a first checkpoint."""
    site.play()
    site.maker.run(at_once=True)
    return site


@pytest.mark.parametrize(
    ("now", "hours", "last", "following"),
    [
        ("2026-11-28T00:09:59", 24, "2026-11-27T00:10", "2026-11-28T00:10"),
        ("2026-11-28T00:10:00", 24, "2026-11-28T00:10", "2026-11-29T00:10"),
        ("2026-11-28T07:00:00", 6, "2026-11-28T06:10", "2026-11-28T12:10"),
        ("2026-11-28T00:00:00", 6, "2026-11-27T18:10", "2026-11-28T00:10"),
        ("2026-11-28T00:00:00", 5, "2026-11-27T20:10", "2026-11-28T00:10"),
        ("2026-11-28T23:59:00", 1, "2026-11-28T23:10", "2026-11-29T00:10"),
    ],
)
def test_batches_are_due_from_ten_past_midnight_on(now: str, hours: int, last: str, following: str) -> None:
    at = datetime.fromisoformat(now).replace(tzinfo=UTC)
    assert checkpoint_logs.due_before(at, hours) == datetime.fromisoformat(last).replace(tzinfo=UTC)
    assert checkpoint_logs.due_after(at, hours) == datetime.fromisoformat(following).replace(tzinfo=UTC)


def test_there_is_no_log_before_there_is_a_table(site: Site) -> None:
    site.next_day()
    site.maker.run()
    assert site.sizes() == []


def test_the_first_batch_is_at_the_first_time_after_a_table(site: Site) -> None:
    site.play()
    site.maker.run()
    assert site.sizes() == []
    site.next_day()
    site.maker.run()
    assert site.sizes() == [256]
    site.maker.run()
    assert site.sizes() == [256]
    site.next_day()
    site.maker.run()
    assert site.sizes() == [512]


def test_a_note_verifies_by_the_policy_that_is_published(began: Site) -> None:
    (note,) = began.notes()
    with began.sessions() as session:
        vkeys = [key.vkey for key in checkpoints.keys(session, 1)]
    checkpoint = Policy.parse(checkpoint_policy.text(began.settings, vkeys, "")).check(SignedNote.parse(note.note))
    assert checkpoint == (ORIGIN, 256, note.root)


def test_one_at_a_time_makes_checkpoints(site: Site) -> None:
    with site.sessions() as first, site.sessions() as second:
        checkpoints.lock(first)
        second.execute(text("SET LOCAL lock_timeout = '50ms'"))
        with pytest.raises(OperationalError, match="lock timeout"):
            checkpoints.lock(second)
        second.rollback()
        first.commit()
        checkpoints.lock(second)


def test_a_batch_is_made_and_signed_while_others_wait(site: Site) -> None:
    is_kept: list[bool] = []

    def clock() -> datetime:
        with site.sessions() as other:
            other.execute(text("SET LOCAL lock_timeout = '10ms'"))
            try:
                checkpoints.lock(other)
            except OperationalError:
                is_kept.append(True)
            else:
                is_kept.append(False)
        return NOW

    site.play()
    jobs.CheckpointMaker(site.settings, site.sessions, clock, site.post).run(at_once=True)
    assert site.sizes() == [256] and is_kept == [True] * 3


def test_a_batch_that_was_not_signed_is_signed_before_another(began: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*_: object) -> None:
        raise ConnectionError

    began.next_day()
    with monkeypatch.context() as patched, pytest.raises(ConnectionError):
        patched.setattr(checkpoint_signing, "sign", crash)
        began.maker.run()
    assert (began.sizes(checkpoints.SIGNED), _batches(began)) == ([256], [256, 512])
    began.restarted().run()
    assert (began.sizes(), _batches(began)) == ([512], [256, 512])


def test_the_same_note_is_signed_after_a_crash(began: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*_: object) -> None:
        raise ConnectionError

    began.next_day()
    with monkeypatch.context() as patched, pytest.raises(ConnectionError):
        patched.setattr(checkpoints, "add_note", crash)
        began.maker.run()
    written = NoteFolder(began.settings.data_dir).read(1)
    began.restarted().run()
    (note,) = began.notes()
    assert written == (ORIGIN, note.size, note.root)


def _batches(site: Site) -> list[int]:
    with site.sessions() as session:
        return list(session.scalars(text("SELECT size FROM checkpoint_batches ORDER BY log, size")))


def test_a_log_behind_its_data_folder_goes_no_further(began: Site) -> None:
    _write_note(began, log=1, size=512)
    began.next_day()
    with pytest.raises(RolledBack, match="a note of size 512"):
        began.maker.run()
    assert _batches(began) == [256]


def test_a_log_with_another_tree_than_its_data_folder_goes_no_further(began: Site) -> None:
    _write_note(began, log=1, size=256)
    began.next_day()
    with pytest.raises(RolledBack, match="another tree"):
        began.maker.run()
    assert _batches(began) == [256]


def test_a_note_that_came_meanwhile_keeps_a_batch_from_being_signed(began: Site) -> None:
    with began.sessions.begin() as session:
        log = checkpoints.newest_log(session)
        assert log is not None
        checkpoint_batches.make(session, log, NOW)
    _write_note(began, log=1, size=512)
    keys, folder = [SigningKey(ORIGIN, SEEDS[0])], NoteFolder(began.settings.data_dir)
    with began.sessions() as session, pytest.raises(RolledBack, match="another tree"):
        checkpoint_signing.sign(session, log, keys, folder, NOW)
    assert began.sizes(checkpoints.SIGNED) == [256]


def test_the_next_log_has_an_origin_of_its_own_and_all_games(began: Site) -> None:
    _write_note(began, log=1, size=512)
    with began.sessions.begin() as session:
        assert checkpoint_logs.close(session, NoteFolder(began.settings.data_dir), "", "restored", NOW) == 1
    began.maker.run(at_once=True)
    first, second = began.notes()
    assert (first.size, second.size) == (256, 256)
    assert second.note.startswith("nova-luna.example.org/v1/checkpoints/2\n256\n")
    with began.sessions() as session:
        assert list(session.scalars(text("SELECT log FROM checkpoint_leaves ORDER BY log"))) == [1, 2]


def test_a_log_that_only_the_data_folder_knows_is_not_begun_again(site: Site) -> None:
    _write_note(site, log=1, size=512)
    site.play()
    with pytest.raises(RolledBack, match="does not know it"):
        site.maker.run(at_once=True)
    folder = NoteFolder(site.settings.data_dir)
    with site.sessions.begin() as session:
        assert checkpoint_logs.close(session, folder, site.settings.base_url, "restored", NOW) == 1
    site.maker.run(at_once=True)
    with site.sessions() as session:
        assert [(log.number, log.origin) for log in checkpoints.logs(session)] == [
            (1, ORIGIN),
            (2, "nova-luna.example.org/v1/checkpoints/2"),
        ]


def test_nothing_can_be_closed_before_a_log_has_begun(site: Site) -> None:
    with site.sessions.begin() as session, pytest.raises(FolderNotMade, match="No log is open"):
        checkpoint_logs.close(session, NoteFolder(site.settings.data_dir), "", "none", NOW)


def test_a_damaged_note_in_the_data_folder_is_named(began: Site) -> None:
    assert began.settings.data_dir is not None
    (began.settings.data_dir / "checkpoints" / "1.note").write_text("half")
    with pytest.raises(FolderNotMade, match=r"1\.note is no checkpoint"):
        began.maker.run(at_once=True)


def test_a_tree_that_was_changed_is_not_signed(began: Site, owner: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    began.next_day()
    with monkeypatch.context() as patched:
        patched.setattr(checkpoint_signing, "sign", lambda *_: None)
        began.maker.run()
    with owner.begin() as connection:
        connection.execute(text("SET session_replication_role = replica"))
        connection.execute(text("ALTER TABLE checkpoint_tiles DISABLE TRIGGER append_only"))
        connection.execute(text("UPDATE checkpoint_tiles SET root = sha256('other') WHERE tile = 1"))
    with pytest.raises(RolledBack, match="does not continue"):
        began.maker.run()
    assert began.sizes(checkpoints.SIGNED) == [256]


def test_a_second_key_is_endorsed_at_once_and_signs_too(began: Site) -> None:
    began.settings = replace(began.settings, checkpoint_keys=SEEDS)
    began.restarted().run()
    old, new = (SigningKey(ORIGIN, seed).public for seed in SEEDS)
    with began.sessions() as session:
        first, second = checkpoints.keys(session, 1)
    assert (first.vkey, first.endorsement, second.vkey) == (old.vkey, None, new.vkey)
    assert second.endorsement is not None
    assert endorsed(SignedNote.parse(second.endorsement), Policy.parse(f"log {old.vkey}\nquorum none\n")) == new
    began.maker.run(at_once=True)
    (note,) = began.notes()
    assert SignedNote.parse(note.note).signers([old, new]) == [old, new]
    began.settings = replace(began.settings, checkpoint_keys=SEEDS[1:])
    began.restarted().run(at_once=True)
    (note,) = began.notes()
    assert SignedNote.parse(note.note).signers([old, new]) == [new]


def test_the_second_key_of_a_new_log_is_endorsed_by_the_first(site: Site) -> None:
    site.settings = replace(site.settings, checkpoint_keys=SEEDS)
    site.play()
    site.restarted().run(at_once=True)
    with site.sessions() as session:
        first, second = checkpoints.keys(session, 1)
    assert first.endorsement is None and second.endorsement is not None
    policy = Policy.parse(f"log {first.vkey}\nquorum none\n")
    assert endorsed(SignedNote.parse(second.endorsement), policy).vkey == second.vkey


def test_a_key_that_no_key_of_the_log_endorses_is_refused(began: Site) -> None:
    began.settings = replace(began.settings, checkpoint_keys=SEEDS[1:])
    with pytest.raises(FolderNotMade, match="is one of log 1"):
        began.restarted().run(at_once=True)
    assert _batches(began) == [256]


def test_a_checkpoint_is_published_with_the_quorum(site: Site) -> None:
    site.witnessed("quorum w1\n")
    site.play()
    site.maker.run(at_once=True)
    (note,) = site.notes()
    assert list(note.witnesses) == ["w1", "w2"]
    keys = [witness.key.public for witness in site.witnesses.by_url.values()]
    assert SignedNote.parse(note.note).signers(keys) == keys


def test_without_a_quorum_it_is_published_after_ten_minutes(site: Site) -> None:
    site.witnessed("group both all w1 w2\nquorum both\n")
    site.witnesses[1].is_away = True
    site.play()
    site.maker.run(at_once=True)
    assert (site.sizes(), site.sizes(checkpoints.SIGNED)) == ([], [256])
    site.clock.now += jobs.PATIENCE - timedelta(seconds=1)
    site.maker.run()
    assert site.sizes() == []
    site.clock.advance(seconds=1)
    site.maker.run()
    (note,) = site.notes()
    assert (note.size, list(note.witnesses)) == (256, ["w1"])


def test_a_witness_that_comes_back_completes_the_quorum(site: Site) -> None:
    site.witnessed("group both all w1 w2\nquorum both\n")
    site.witnesses[1].is_away = True
    site.play()
    site.maker.run(at_once=True)
    site.witnesses[1].is_away = False
    site.maker.run()
    assert [list(note.witnesses) for note in site.notes()] == [["w1", "w2"]]
    assert site.witnesses[0].asked.count(256) == 1  # the one that had cosigned is not asked again


def test_a_witness_that_is_behind_is_brought_up(site: Site) -> None:
    site.witnessed("quorum w1\n")
    site.play()
    site.maker.run(at_once=True)
    site.witnesses[1].is_away = True
    site.maker.run(at_once=True)
    site.witnesses[1].is_away = False
    site.restarted().run(at_once=True)
    (note,) = site.notes()
    assert (note.size, list(note.witnesses), site.witnesses[1].size) == (768, ["w1", "w2"], 768)


def test_a_witness_that_is_ahead_keeps_a_log_from_being_signed(site: Site) -> None:
    site.witnessed("quorum w1\n")
    site.play()
    site.maker.run(at_once=True)
    site.witnesses[1].size = 512
    with pytest.raises(RolledBack, match="the witness w2, it has signed a tree of size 512"):
        site.restarted().run(at_once=True)
    assert (site.sizes(checkpoints.SIGNED), _batches(site)) == ([256], [256])


def test_a_witness_that_knows_a_lost_log_keeps_it_from_beginning(site: Site) -> None:
    site.witnessed("quorum w1\n")
    site.witnesses[0].size = 512
    site.play()
    with pytest.raises(RolledBack, match="the witness w1, it has signed a tree of size 512"):
        site.maker.run(at_once=True)
    assert site.sizes(checkpoints.SIGNED) == []


def test_a_witness_with_another_tree_keeps_a_log_from_being_signed(site: Site) -> None:
    site.witnessed("quorum w1\n")
    site.play()
    site.maker.run(at_once=True)
    site.witnesses[0].root = b"x" * 32
    with pytest.raises(RolledBack, match="another tree of size 256"):
        site.restarted().run(at_once=True)
    assert site.sizes(checkpoints.SIGNED) == [256]


def test_what_holds_a_log_up_is_logged_once_and_counted(
    began: Site, lines: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[str] = []
    monkeypatch.setattr(metrics, "checkpoint", counted.append)
    _write_note(began, log=1, size=512)
    for _ in range(3):
        began.maker.run_and_log()
    assert counted == ["refused"] * 3
    assert str(lines.getvalue()).count("checkpoint_rolled_back") == 1  # type: ignore[attr-defined]


def _write_note(site: Site, log: int, size: int) -> None:
    """Write a note of another tree into the data folder."""
    from service.checkpoints.notes import Checkpoint, signed

    origin = checkpoint_logs.origin(site.settings.base_url, log)
    note = signed(Checkpoint(origin, size, b"r" * 32).text(), [SigningKey(origin, SEEDS[0])])
    NoteFolder(site.settings.data_dir).write(log, note)
