"""Renderers: pictures from another process, which may die, hang or be too few."""

import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace

import pytest

from service.pictures import raster
from service.pictures.cache import ByteCache
from service.pictures.render import read_frame, write_frame
from service.pictures.renderers import BadDrawing, Busy, Renderer, Renderers, RenderingFailed
from tests.support.running import eventually
from tests.support.suspending import resume, suspend

DRAWING = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8" fill="#151c3a"/></svg>'
)
PATIENT = 60.0


def drawn() -> str:
    return DRAWING


@pytest.fixture
def renderer() -> Iterator[Renderer]:
    made = Renderer(0)
    yield made
    made.close()


@pytest.fixture
def renderers() -> Iterator[Renderers]:
    made = Renderers(1, 1, PATIENT, niceness=0)
    yield made
    made.close()


def test_a_picture_is_the_one_that_this_process_would_make(renderers: Renderers) -> None:
    assert renderers.png(drawn, 8) == raster.png(DRAWING, 8)


def test_renderer_is_nice_knows_no_secret_and_ends_with_its_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOVALUNA_SECRET_KEY", "not for a renderer")
    renderer = Renderer(19)
    renderer.png(DRAWING, 8, PATIENT)
    assert os.getpriority(os.PRIO_PROCESS, renderer.pid) == 19
    group = Path(f"/proc/{renderer.pid}/autogroup")
    if group.exists():
        assert group.read_text().endswith("nice 19\n")
        assert group.read_text() != Path("/proc/self/autogroup").read_text()
    assert b"NOVALUNA" not in Path(f"/proc/{renderer.pid}/environ").read_bytes()
    assert renderer._process.stdin is not None
    renderer._process.stdin.close()
    eventually(lambda: not renderer.is_alive())
    renderer.close()


def test_one_that_hangs_is_killed_and_the_next_picture_comes_from_another(renderer: Renderer) -> None:
    renderer.png(DRAWING, 8, PATIENT)
    suspend(renderer.pid)
    with pytest.raises(RenderingFailed, match=r"took longer than 0.2 seconds"):
        renderer.png(DRAWING, 8, 0.2)
    assert not renderer.is_alive()


def test_one_that_died_is_replaced(renderers: Renderers) -> None:
    renderers.png(drawn, 8)
    first = renderers._free[-1]
    assert first is not None
    os.kill(first.pid, signal.SIGKILL)
    eventually(lambda: not first.is_alive())
    assert renderers.png(drawn, 8) == raster.png(DRAWING, 8)


def test_a_bad_drawing_costs_nobody_else_anything(renderers: Renderers) -> None:
    renderers.png(drawn, 8)
    before = renderers._free[-1]
    with pytest.raises(BadDrawing):
        renderers.png(lambda: "no drawing", 8)
    assert renderers._free[-1] is before
    renderers.png(drawn, 8)


def test_whoever_comes_when_enough_wait_is_refused_at_once(renderers: Renderers) -> None:
    renderers.png(drawn, 8)
    busy = renderers._free[-1]
    assert busy is not None
    suspend(busy.pid)
    with ThreadPoolExecutor(2) as threads:
        two = [threads.submit(renderers.png, drawn, 8) for _ in range(2)]
        eventually(lambda: renderers._places._value == 0)  # no other way to look
        with pytest.raises(Busy):
            renderers.png(lambda: pytest.fail("a drawing that nobody needed"), 8)
        resume(busy.pid)
        assert {each.result(PATIENT) for each in two} == {raster.png(DRAWING, 8)}
    assert renderers.png(drawn, 8)


def test_a_caller_waits_no_longer_than_told_for_turn_and_picture(
    renderers: Renderers, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = []
    png = Renderer.png

    def noting(self: Renderer, drawing: str, width: int, seconds: float) -> bytes:
        left.append(seconds)
        return png(self, drawing, width, seconds)

    came, turn = 100.0, 105.0
    clock = iter((came, turn))
    monkeypatch.setattr(Renderer, "png", noting)
    monkeypatch.setattr("service.pictures.renderers.time", SimpleNamespace(monotonic=lambda: next(clock)))
    renderers.png(drawn, 8)
    assert left == [came + PATIENT - turn]


def test_a_hurried_renderer_has_our_niceness_and_no_retry_of_bad_svg(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun = []
    begin = Renderer.__init__

    def noting(self: Renderer, niceness: int) -> None:
        begun.append(niceness)
        begin(self, niceness)

    monkeypatch.setattr(Renderer, "__init__", noting)
    renderers = Renderers(1, 0, PATIENT, niceness=1, hurry=PATIENT / 2)
    with pytest.raises(BadDrawing):
        renderers.png(lambda: "no drawing", 8)
    assert begun == [1]
    nice = renderers._free[-1]
    assert nice is not None
    suspend(nice.pid)
    renderers._hurry = 0.1
    assert renderers.png(drawn, 8) == raster.png(DRAWING, 8)
    assert begun == [1, 0]
    assert not nice.is_alive()
    renderers._hurry = PATIENT / 2
    assert renderers.png(drawn, 8) == raster.png(DRAWING, 8)
    assert begun == [1, 0, 1]
    renderers.close()


def test_a_fork_begins_with_none(renderers: Renderers) -> None:
    renderers.png(drawn, 8)
    kept = renderers._free[-1]
    renderers._pid = -1  # as in a process that was forked from the one that started them
    renderers.png(drawn, 8)
    assert renderers._free[-1] is not kept
    assert kept is not None and kept.is_alive()
    kept.close()


def test_frames() -> None:
    pipe = BytesIO()
    write_frame(pipe, 700, b"drawing")
    whole = pipe.getvalue()
    assert read_frame(BytesIO(whole)) == (700, b"drawing")
    for cut in range(len(whole)):
        assert read_frame(BytesIO(whole[:cut])) is None


def test_cached_pictures_are_bounded_by_their_bytes() -> None:
    cache = ByteCache[bytes](4)
    cache.put("a", b"11")
    cache.put("b", b"22")
    assert cache.get("a") == b"11"
    cache.put("c", b"3")
    assert (cache.get("a"), cache.get("b"), cache.get("c")) == (b"11", None, b"3")
    cache.put("d", b"larger")
    assert (cache.get("a"), cache.get("d")) == (b"11", None)


def test_the_picture_of_the_first_rank_is_drawn_first(renderers: Renderers) -> None:
    renderers = Renderers(1, 4, PATIENT, niceness=0)
    renderers.png(drawn, 8)
    busy, done = renderers._free[-1], list[int]()
    assert busy is not None
    suspend(busy.pid)

    def draw(rank: int) -> str:
        done.append(rank)
        return DRAWING

    with ThreadPoolExecutor(5) as threads:
        for waiting, rank in enumerate([0, 2, 1, 2, 0]):
            threads.submit(renderers.png, partial(draw, rank), 8, rank)
            eventually(lambda waiting=waiting: len(renderers._waiting) == waiting)  # type: ignore[misc]
        resume(busy.pid)
    assert done == [0, 0, 1, 2, 2]
    renderers.close()
