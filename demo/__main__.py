"""Play a game on a service of its own, and leave that running until it is stopped: ``python -m demo``."""

import argparse
import os
import signal
import sys
import time
from collections.abc import Sequence
from types import FrameType

from demo.errors import StepFailed, Stopped
from demo.launch import Service, free_port, running
from demo.people import Api
from demo.postbox import Postbox
from demo.screen import Screen
from demo.story import Story, show_how_to_go_on
from service.console import discard_output
from service.exit_codes import FAILED, INTERRUPTED, OK

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the demonstration; return the exit code: 0 for success, 1 if a step failed, 130 if it was interrupted."""
    arguments = _parser().parse_args(argv)
    screen = Screen(sys.stdout, os.environ)
    for number in _SIGNALS:
        signal.signal(number, _stop)
    try:
        _run(screen, arguments.port, arguments.discs, arguments.once)
    except StepFailed as error:
        screen.failed(str(error))
        return FAILED
    except BrokenPipeError:
        discard_output()
        return FAILED
    except Stopped:
        return INTERRUPTED
    return OK


def _run(screen: Screen, port: int | None, discs: str | int, once: bool) -> None:
    began = time.monotonic()
    screen.title("Nova Luna by post: three people play a whole game, over HTTP and by mail")
    screen.step("The service starts: Postgres, the web server, the worker that sends the mails")
    with running(free_port(port)) as service:
        screen.say(f"It answers at {service.address} after {time.monotonic() - began:.1f} s.")
        screen.say(f"Its data is in {service.data}, and is removed when this ends.")
        try:
            story = Story(Api(service.address), Postbox(service.data / "mail", screen.mail), screen)
            played = story.tell(discs)
        except StepFailed as error:
            raise StepFailed(f"{error}\nThe service's log ends with:\n{service.last_words()}") from error
        screen.say(f"From the start of the service to here it took {time.monotonic() - began:.0f} s.")
        if not once:
            show_how_to_go_on(screen, service, played)
            _stay(screen, service)


def _stay(screen: Screen, service: Service) -> None:
    screen.say("Ctrl-C stops the service.")
    try:
        code = service.wait()
    except Stopped:
        screen.say("Stopping.")
        return
    raise StepFailed(f"the service ended by itself, with exit code {code}. {service.last_words()}")


def _stop(number: int, frame: FrameType | None) -> None:
    for each in _SIGNALS:
        signal.signal(each, signal.SIG_IGN)  # once is enough: everything is already being stopped
    raise Stopped


def _discs(text: str) -> str | int:
    return int(text) if text.isdecimal() else text


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m demo", description="Plays a whole game.", allow_abbrev=False)
    parser.add_argument("--once", action="store_true", help="end when the game has been played")
    parser.add_argument(
        "--port", type=int, help="where the service answers (default: 8080, or a free one; 0: a free one)"
    )
    parser.add_argument("--discs", type=_discs, default="full", help="goal discs of a player, as the API takes them")
    return parser


if __name__ == "__main__":
    sys.exit(main())
