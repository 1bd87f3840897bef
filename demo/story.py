"""The steps: three people sign in, meet at a private table and play, and the user is shown how to continue."""

import json
import shlex
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from demo import game
from demo.launch import Service
from demo.people import Api, Person
from demo.postbox import Mail, Postbox
from demo.screen import Screen

_TRACK_EVERY = 6


@dataclass(frozen=True)
class Played:
    """A finished game: its id, its creator with her access token, and her link to the table's page."""

    table: str
    maker: Person
    page: str


@dataclass(frozen=True)
class Story:
    """The steps of one game, with the service, the mails and the screen that they use."""

    api: Api
    postbox: Postbox
    screen: Screen

    def tell(self, discs: str | int) -> Played:
        """Run everything from the first sign-in to the audit.

        Args:
            discs: the goal discs of each player, as ``POST /v1/games`` takes them.

        Raises:
            StepFailed: something did not do what it should.
        """
        people, table = self.gather(discs)
        self.screen.step("The last seat is taken: the game starts. Whose turn it becomes gets a mail, and moves")
        began = time.monotonic()
        view = self._play(people, table)
        took = time.monotonic() - began
        self.screen.step("The game is over")
        pages = [self._end_mail(person).page for person in people]
        self._prove(people, table, view, took)
        return Played(table, people[0], str(pages[0]))

    def gather(self, discs: str | int) -> tuple[Sequence[Person], str]:
        """Run the steps up to the start of the game; return the people by seat and the table's id."""
        luna = Person("Luna", "luna@example.org", "a heron on the pier")
        stella = Person("Stella", "stella@example.org", "eleven lamps")
        nox = Person("Nox", "nox@example.org", "salt, tar and rope")
        self.screen.step("Luna signs in with a code that she is mailed, and opens a private table")
        self._sign_in(luna)
        table = self._open_table(luna, discs)
        for guest in (stella, nox):
            self.screen.step(f"{guest.name} is invited by mail, signs in and sits down")
            self._invite(luna, table, guest)
        return (luna, stella, nox), table

    def _play(self, people: Sequence[Person], table: str) -> Any:
        view = None
        for view in game.turns(self.api, self.postbox, people, table):
            self.screen.move(people[view["last_move"]["seat"]], view["last_move"])
            if view["version"] % _TRACK_EVERY == 0 or view["status"] != "running":
                self.screen.moon_track(view, people)
        return view

    def _sign_in(self, person: Person) -> None:
        self._send(person, "POST", "/v1/sign-ins", {"email": person.email}, 202)
        code = self.postbox.await_mail(person, "the sign-in code", lambda mail: mail.code).code
        body = {"email": person.email, "code": code, "name": person.name}
        person.token = self._send(person, "POST", "/v1/tokens", body, 201)["token"]

    def _open_table(self, maker: Person, discs: str | int) -> str:
        body = {"seats": 3, "discs": discs, "visibility": "private"}
        view = self._send(maker, "POST", "/v1/games", body, 201)
        self.screen.say(f"The draw is bound before anybody else comes, by the commitment {view['draw']['commitment']}.")
        table = str(view["id"])
        self._send(maker, "PATCH", f"/v1/games/{table}/players/me", {"entropy": maker.entropy}, 200)
        return table

    def _invite(self, maker: Person, table: str, guest: Person) -> None:
        self._send(maker, "POST", f"/v1/games/{table}/invitations", {"email": guest.email}, 201)
        invitation = self.postbox.await_mail(guest, "the invitation", lambda mail: mail.invitation).invitation
        self._sign_in(guest)
        body = {"invitation": invitation, "entropy": guest.entropy}
        self._send(guest, "POST", f"/v1/games/{table}/players", body, 201)

    def _end_mail(self, person: Person) -> Mail:
        return self.postbox.await_mail(person, "the mail of the end", lambda mail: "CHECK IT YOURSELF" in mail.text)

    def _prove(self, people: Sequence[Person], table: str, view: Mapping[str, Any], took: float) -> None:
        line = self.api.read(f"/v1/games/{table}/record", people[0])
        waits = game.check_mails(self.postbox, people, json.loads(line))
        game.audit(line)
        ranking = [people[seat].name for seat in view["result"]["ranking"]]
        self.screen.step("What came of it")
        self.screen.say(f"{ranking[0]} has won, before {ranking[1]} and {ranking[2]}.")
        self.screen.say(
            f"{view['version']} moves over HTTP took {took:.0f} s, the bots' thinking and the mails included."
        )
        self.screen.say(f"All {waits} waits had their mail, each of them once; all three were told of the end.")
        self.screen.say("`novaluna audit` has verified the record: header, draw, chain, every move, and the result.")

    def _send(self, person: Person, method: str, path: str, body: Any, expected: int) -> Any:
        answer = self.api.send(method, path, body, person, expected)
        self.screen.request(person, method, path, body, expected)
        return answer


def show_how_to_go_on(screen: Screen, service: Service, played: Played) -> None:
    """Print an access token, three commands that work as they are, and where to look."""
    api, maker, token = service.address, played.maker, str(played.maker.token)
    mailbox = f"{_program()} mailbox {maker.email} --data {shlex.quote(str(service.data))}"
    screen.step(f"Now you: the service goes on running, and you are {maker.name}")
    screen.to_copy(f"TOKEN={token}", "your token, which the commands below have in them")
    screen.to_copy(_curl(token, f"{api}/v1/games?mine=true"), "your games")
    screen.to_copy(_curl(token, f"{api}/v1/games/{played.table}"), "the game that was played, as it ended")
    screen.to_copy(
        _curl(token, f"{api}/v1/solo-sessions", "{}"), "a new solo session; it begins by a POST to …/{its id}/start"
    )
    screen.to_copy(played.page, "the table's page, by the link that was mailed")
    screen.to_copy(f"{api}/docs", "all that the API can do")
    screen.to_copy(mailbox, "your mails")


def _curl(token: str, url: str, body: str | None = None) -> str:
    line = f"curl -sS -H 'Authorization: Bearer {token}' {shlex.quote(url)}"
    return line if body is None else f"{line} -H 'Content-Type: application/json' -d {shlex.quote(body)}"


def _program() -> str:
    """Return the command line as it can be called from the current folder."""
    program = Path(".venv/bin/novaluna")
    return str(program) if program.exists() else "novaluna"
