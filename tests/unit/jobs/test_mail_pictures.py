"""Pictures for mails: rendered beside the worker, and left out if they are not ready in time."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from sqlalchemy.orm import Session

from service.jobs.mail_pictures import MailPictures
from service.jobs.worker_context import WorkerContext
from service.mail.maildir import Maildir
from service.pictures.renderers import Renderers, RenderingFailed
from service.pictures.scene import Scene
from tests.support import world
from tests.support.mail.checker import check
from tests.support.picture_scenes import scene
from tests.unit.jobs.job_queue import run

PATIENCE = 60.0


class Counting(Renderers):
    """Renderers that count, and fail when they are told to."""

    def __init__(self) -> None:
        super().__init__(1, 8, PATIENCE, niceness=0)  # other tests would get in their way
        self.asked = 0
        self.fails = False

    def png(self, draw: Callable[[], str], width: int, rank: int = 0, within: float | None = None) -> bytes:
        self.asked += 1
        if self.fails:
            raise RenderingFailed("the renderer ended, or took longer than 20 seconds")
        return super().png(draw, width, rank, within)


@pytest.fixture
def renderers() -> Iterator[Counting]:
    counting = Counting()
    yield counting
    counting.close()


@pytest.fixture
def shown() -> Scene:
    return scene(2, 0.2)


def test_what_was_rendered_once_is_kept(renderers: Counting, shown: Scene) -> None:
    pictures = MailPictures(renderers)
    picture = pictures.png(shown)
    assert picture is not None and picture.startswith(b"\x89PNG")
    assert pictures.png(replace(shown)) == picture and renderers.asked == 1


def test_after_a_failure_there_are_none_for_a_while(
    renderers: Counting, shown: Scene, capsys: pytest.CaptureFixture[str]
) -> None:
    renderers.fails = True
    pictures = MailPictures(renderers)
    assert pictures.png(shown) is None and pictures.png(shown) is None
    assert renderers.asked == 1
    assert capsys.readouterr().out.count("no picture: mails go without for a while") == 1
    renderers.fails = False
    assert MailPictures(renderers, rest=0).png(shown) is not None


def test_a_drawing_that_cannot_be_read_costs_no_other_its_picture(
    renderers: Counting, shown: Scene, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pictures = MailPictures(renderers)
    with monkeypatch.context() as patched:
        patched.setattr("service.jobs.mail_pictures.draw", lambda scene: "no drawing")
        assert pictures.png(shown) is None
    assert pictures.png(shown) is not None
    assert capsys.readouterr().out.count("no picture: a drawing that can't be read") == 1


@pytest.mark.parametrize("fails", [False, True])
def test_a_turn_mail_goes_with_its_picture_or_without(
    renderers: Counting, session: Session, context: WorkerContext, fails: bool
) -> None:
    renderers.fails = fails
    world.match(session, world.account(session, "Ann"), world.account(session, "Ben"))
    session.commit()
    run(replace(context, pictures=MailPictures(renderers)))
    assert isinstance(context.transport, Maildir)
    (kept,) = (context.transport.path / "new").iterdir()
    parts = check(kept.read_bytes())
    assert [part.kind for part in parts] == ["text/plain", "text/html"] + ([] if fails else ["image/png"])
    assert ("cid:" in parts[1].text) is not fails
