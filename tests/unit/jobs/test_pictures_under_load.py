"""Many turn mails at once while the renderer is busy: each has its picture, or the log says why not."""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from sqlalchemy.orm import Session
from structlog.testing import capture_logs

from service.jobs.mail_pictures import MailPictures
from service.jobs.worker import CONCURRENCY
from service.jobs.worker_context import WorkerContext
from service.mail.relay import Relay
from service.mail.smtp_pool import SmtpConnectionPool
from service.pictures.renderers import Renderers
from tests.support import world
from tests.support.mail import relay as relays
from tests.support.mail.checker import check
from tests.support.running import eventually
from tests.support.suspending import resume, suspend
from tests.unit.jobs.job_queue import mail_jobs, run
from tests.unit.jobs.worker_process import PATIENCE
from tests.unit.pictures.test_renderers import DRAWING

_MAILS = CONCURRENCY + 2
_LONG = 4 * PATIENCE


class Watched(Renderers):
    """The worker's renderers, with a count of simultaneous requests."""

    def __init__(self, seconds: float, hurry: float | None = None) -> None:
        super().__init__(1, CONCURRENCY, seconds, niceness=0, hurry=hurry)  # other tests would get in their way

    @property
    def asking(self) -> int:
        return 1 + CONCURRENCY - self._places._value  # no other way to look

    def hold(self) -> int:
        """Suspend the renderer until it is told to continue, and return its process id."""
        seconds, hurry = self._seconds, self._hurry
        self._seconds, self._hurry = _LONG, None  # it is started for this, which may take long on a busy machine
        self.png(lambda: DRAWING, 8)
        self._seconds, self._hurry = seconds, hurry
        renderer = self._free[-1]
        assert renderer is not None
        suspend(renderer.pid)
        return renderer.pid


@pytest.fixture
def smtp() -> Iterator[relays.Relay]:
    with relays.running() as relay:
        yield relay


@pytest.fixture
def many_wait(session: Session) -> None:
    """Start a number of games whose first player is to be mailed."""
    for number in range(_MAILS):
        world.match(session, world.account(session, f"Ann{number}"), world.account(session, f"Ben{number}"))
    session.commit()


def at_work(context: WorkerContext, smtp: relays.Relay, renderers: Renderers) -> WorkerContext:
    pool = SmtpConnectionPool(Relay("smtp", "127.0.0.1", smtp.port, timeout=_LONG))
    return replace(context, transport=pool, pictures=MailPictures(renderers))


def pictures(mail: bytes) -> int:
    """Return the number of pictures in a mail; each must be the one that its HTML shows."""
    parts = check(mail)
    brought = [part.headers["content-id"].strip("<>") for part in parts if part.kind == "image/png"]
    (html,) = (part.text for part in parts if part.kind == "text/html")
    assert re.findall(r'src="cid:([^"]+)"', html) == brought
    assert all(part.content.startswith(b"\x89PNG") for part in parts if part.kind == "image/png")
    return len(brought)


@pytest.mark.slow
@pytest.mark.usefixtures("many_wait")
def test_no_mail_goes_without_its_picture_while_the_renderer_is_busy(
    context: WorkerContext, session: Session, smtp: relays.Relay, capsys: pytest.CaptureFixture[str]
) -> None:
    renderers = Watched(_LONG)
    working = at_work(context, smtp, renderers)
    held = renderers.hold()
    with ThreadPoolExecutor(1) as threads:
        worker = threads.submit(run, working)
        try:
            eventually(lambda: renderers.asking == CONCURRENCY)
            assert smtp.mails == []
        finally:
            resume(held)
        worker.result(_LONG)
    renderers.close()
    assert [pictures(mail) for mail in smtp.mails] == [1] * _MAILS
    assert {job.status for job in mail_jobs(session)} == {"succeeded"}
    assert "no picture" not in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.usefixtures("many_wait")
def test_a_picture_for_which_there_is_no_time_is_made_in_a_hurry(
    context: WorkerContext, smtp: relays.Relay, capsys: pytest.CaptureFixture[str]
) -> None:
    renderers = Watched(_LONG, hurry=1.0)
    working = at_work(context, smtp, renderers)
    renderers.hold()  # forever, as on a machine that stays busy
    run(working)
    renderers.close()
    assert [pictures(mail) for mail in smtp.mails] == [1] * _MAILS
    assert "no picture" not in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.usefixtures("many_wait")
def test_mails_go_without_only_after_their_patience_and_it_is_logged(
    context: WorkerContext, session: Session, smtp: relays.Relay
) -> None:
    renderers = Watched(1.0)
    working = at_work(context, smtp, renderers)
    renderers.hold()  # forever: it is killed when the first mail has waited long enough
    with capture_logs() as lines:
        run(working)
    renderers.close()
    assert len(smtp.mails) == _MAILS and 0 in map(pictures, smtp.mails)
    assert {job.status for job in mail_jobs(session)} == {"succeeded"}
    logged = [line["event"] for line in lines]
    assert logged.count("no picture: mails go without for a while") == 1
    assert logged.index("no picture: mails go without for a while") < logged.index("mail sent")
