"""The Maildir, and what `novaluna mailbox` prints of it."""

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from pathlib import Path

import pytest

from service.config import Settings
from service.mail.mailbox import show
from service.mail.maildir import Maildir, StoredMail
from service.mail.message import Content, Envelope, build, to_bytes
from service.mail.smtp_pool import SmtpConnectionPool
from service.mail.transport import maildir, make_transport

AT = datetime(2026, 11, 27, 20, 56, tzinfo=UTC)


def mail(key: str, to: str = "ann@example.org", text: str = "Hello\n", minutes: int = 0) -> EmailMessage:
    content = Content(f"About {key}", text, "<p>Hello</p>")
    return build(content, Envelope("N <n@example.org>", to, key), AT + timedelta(minutes=minutes))


@pytest.fixture
def box(tmp_path: Path) -> Maildir:
    return Maildir(tmp_path / "data" / "mail")


def files(box: Maildir) -> list[Path]:
    return [path for path in box.path.rglob("*") if path.is_file()]


def test_a_mail_is_kept_whole_for_its_owner_alone(box: Maildir) -> None:
    message = mail("code.1")
    box.deliver(message)
    (path,) = files(box)
    assert path.parent.name == "new" and path.read_bytes() == to_bytes(message)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(box.path.stat().st_mode) == 0o700


def test_a_mail_that_is_delivered_again_is_there_once(box: Maildir) -> None:
    box.deliver(mail("turn.1"))
    box.deliver(mail("turn.1", text="Composed a second time\n", minutes=3))
    assert len(files(box)) == 1
    assert "Hello" in next(show(box))


def test_one_of_many_deliveries_at_once_stays(box: Maildir) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(box.deliver, [mail("turn.1") for _ in range(24)]))
    assert len(files(box)) == 1


def test_a_mail_that_a_program_has_read_is_not_delivered_again(box: Maildir) -> None:
    box.deliver(mail("turn.1"))
    (path,) = files(box)
    path.rename(box.path / "cur" / f"{path.name}:2,S")
    box.deliver(mail("turn.1"))
    assert len(files(box)) == 1 and len(list(box.messages())) == 1


def test_a_key_cannot_lead_out_of_the_folder(box: Maildir) -> None:
    box.deliver(mail("../../x"))
    assert [path.parent.name for path in files(box)] == ["new"]


def test_forgetting_removes_the_mails_to_an_address(box: Maildir) -> None:
    box.deliver(mail("code.1", "ann@example.org"))
    box.deliver(mail("code.2", "ben@example.org"))
    assert box.forget(lambda kept: kept.address == "ann@example.org") == 1
    assert [str(message["To"]) for message in box.messages()] == ["ben@example.org"]


def test_a_mail_that_goes_while_the_folder_is_read_is_skipped(box: Maildir, monkeypatch: pytest.MonkeyPatch) -> None:
    box.deliver(mail("code.1", "ann@example.org"))
    box.deliver(mail("code.2", "ben@example.org"))
    (gone,) = box.path.glob("new/code.1*")

    def removing(path: Path) -> bytes:
        gone.unlink(missing_ok=True)
        return path.open("rb").read()

    monkeypatch.setattr(Path, "read_bytes", removing)
    assert [str(message["To"]) for message in box.messages()] == ["ben@example.org"]
    assert box.forget(lambda kept: kept.address.startswith("b")) == 1 and files(box) == []


def test_a_listed_mail_that_is_gone_is_skipped(box: Maildir, monkeypatch: pytest.MonkeyPatch) -> None:
    box.deliver(mail("code.1"))
    listed = Path.glob

    def with_one_gone(folder: Path, pattern: str) -> list[Path]:
        return [*listed(folder, pattern), folder / "gone"]

    monkeypatch.setattr(Path, "glob", with_one_gone)
    assert len(list(box.messages())) == 1 and box.forget(lambda _: True) == 1


def test_a_mail_that_is_marked_as_read_meanwhile_is_forgotten(box: Maildir) -> None:
    box.deliver(mail("code.1"))
    (path,) = files(box)

    def reading(kept: StoredMail) -> bool:
        if path.exists():
            path.rename(box.path / "cur" / f"{path.name}:2,S")
        return True

    assert box.forget(reading) == 1 and files(box) == []


def test_an_empty_mailbox_shows_nothing(box: Maildir) -> None:
    assert list(show(box)) == []


def test_the_mailbox_shows_mails_in_the_order_in_which_they_came(box: Maildir) -> None:
    came = (("code.2", "ann@example.org"), ("code.1", "ben@example.org"), ("code.3", "ann@example.org"))
    for second, (key, to) in enumerate(came):
        box.deliver(mail(key, to))
        os.utime(box.path / "new" / f"{key}@example.org", (second, second))  # some kernels tell times only to 4 ms
    assert [text.split("Subject: ")[1].split("\n")[0] for text in show(box)] == [
        "About code.2", "About code.1", "About code.3"
    ]  # fmt: skip
    assert [text.count("To: ann@example.org") for text in show(box, " Ann@Example.org ")] == [1, 1]


def test_the_mailbox_shows_the_decoded_text_part(box: Maildir) -> None:
    box.deliver(mail("code.1", text="Grüße an 山田\n\nABCDE-FGHJK\n\n" + "long " * 300 + "\n"))
    (shown,) = show(box)
    assert "\nFrom: N <n@example.org>\nTo: ann@example.org\nDate: Fri, 27 Nov 2026 20:56:00 +0000\n" in shown
    assert "Grüße an 山田" in shown and "<p>" not in shown
    assert "ABCDE-FGHJK" in shown.splitlines()


def test_no_control_character_reaches_the_terminal(box: Maildir) -> None:
    box.deliver(mail("code.1", text="\x1b[31mred\x07\u202e\n"))
    assert not set("".join(show(box))) & {"\x1b", "\x07", "\u202e"}


def test_mail_goes_into_the_data_folder_until_there_is_a_relay(tmp_path: Path) -> None:
    kept = Settings(database_url="postgresql:///x", secret_keys=("k" * 32,), data_dir=tmp_path)
    assert make_transport(kept) == maildir(kept) == Maildir(tmp_path / "mail")
    sent = Settings(database_url="postgresql:///x", secret_keys=("k" * 32,), smtp_url="smtp://relay.example.org")
    assert isinstance(make_transport(sent), SmtpConnectionPool)
    with pytest.raises(ValueError, match="NOVALUNA_DATA"):
        maildir(sent)
