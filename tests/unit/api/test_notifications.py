"""Delivery preferences and the delivery status of mails, over HTTP."""

from datetime import UTC, datetime, timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import text

from service.store import deliveries
from service.store.base import db
from service.store.deliveries import Mail
from tests.support.clock import Clock
from tests.support.http_games import SignUp, start, start_solo
from tests.support.web import Person

AT_ONCE = dict.fromkeys(("turn", "end", "closed", "invitation", "reminder"), "at_once")
UNTOLD = {
    **AT_ONCE,
    "reminders": ["half", "P1D", "PT3H"],
    "answer": "short",
    "hints": True,
    "http_commands": "auto",
    "digest_hour": 18,
    "zone": "UTC",
    "next_digest_at": None,
}


def test_an_account_without_preferences_gets_all_at_once(client: FlaskClient, sign_up: SignUp) -> None:
    assert client.get("/v1/me/notifications", headers=sign_up().headers).get_json() == UNTOLD


def test_what_is_named_changes_and_the_rest_stays(client: FlaskClient, sign_up: SignUp, clock: Clock) -> None:
    ann = sign_up()
    wishes = UNTOLD
    for change, next_at in (
        ({"end": "off"}, None),
        ({"hints": False, "http_commands": "off"}, None),
        ({"zone": "Asia/Kolkata"}, None),
        ({"turn": "digest"}, "2026-11-28T12:30:00.000Z"),
        ({"digest_hour": 7}, "2026-11-28T01:30:00.000Z"),
        ({"zone": "Europe/Berlin", "invitation": "digest"}, "2026-11-28T06:00:00.000Z"),
        ({"turn": "at_once", "invitation": "at_once"}, None),
        ({}, None),
    ):
        wishes = {**wishes, **change, "next_digest_at": next_at}  # type: ignore[dict-item]
        answer = client.patch("/v1/me/notifications", json=change, headers=ann.headers)
        assert answer.status_code == 200 and answer.get_json() == wishes
        assert client.get("/v1/me/notifications", headers=ann.headers).get_json() == wishes


def test_a_zone_that_the_machine_lost_is_told_in_utc(client: FlaskClient, sign_up: SignUp, app: Flask) -> None:
    ann = sign_up()
    client.patch("/v1/me/notifications", json={"turn": "digest", "digest_hour": 7}, headers=ann.headers)
    with app.app_context():
        db.session().execute(text("UPDATE accounts SET zone = 'Mars/Olympus'"))
        db.session().commit()
    for answer in (
        client.get("/v1/me/notifications", headers=ann.headers),
        client.patch("/v1/me/notifications", json={"digest_hour": 8}, headers=ann.headers),
    ):
        assert answer.status_code == 200 and answer.get_json()["zone"] == "Mars/Olympus"
    assert answer.get_json()["next_digest_at"] == "2026-11-28T08:00:00.000Z"
    assert client.get("/v1/me", headers=ann.headers).status_code == 200
    assert client.get("/v1/me/deliveries", headers=ann.headers).status_code == 200


def test_how_much_answers_tell_is_wished(client: FlaskClient, sign_up: SignUp) -> None:
    ann = sign_up()
    for how in ("whole", "problems", "short"):
        answer = client.patch("/v1/me/notifications", json={"answer": how}, headers=ann.headers)
        assert (
            answer.get_json()
            == client.get("/v1/me/notifications", headers=ann.headers).get_json()
            == UNTOLD | {"answer": how}
        )


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"turn": "sometimes"}, "turn"),
        ({"turn": None}, "turn"),
        ({"answer": "off"}, "answer"),
        ({"answer": "default"}, "answer"),
        ({"code": "off"}, "code"),
        ({"hints": "off"}, "hints"),
        ({"hints": 1}, "hints"),
        ({"http_commands": True}, "http_commands"),
        ({"http_commands": "always"}, "http_commands"),
        ({"digest_hour": 24}, "digest_hour"),
        ({"digest_hour": -1}, "digest_hour"),
        ({"digest_hour": "7"}, "digest_hour"),
        ({"digest_hour": True}, "digest_hour"),
        ({"zone": "Europe/Atlantis"}, "zone"),
        ({"zone": "europe/berlin"}, "zone"),
        ({"zone": "../../etc/passwd"}, "zone"),
        ({"zone": ""}, "zone"),
        ({"zone": "Europe/" + "x" * 100}, "zone"),
    ],
)
def test_what_is_wrong_is_named_and_changes_nothing(
    client: FlaskClient, sign_up: SignUp, given: dict[str, object], field: str
) -> None:
    ann = sign_up()
    answer = client.patch("/v1/me/notifications", json={"end": "off", **given}, headers=ann.headers)
    assert answer.status_code == 422
    assert [each["field"] for each in answer.get_json()["errors"]] == [field]
    assert client.get("/v1/me/notifications", headers=ann.headers).get_json() == UNTOLD


def test_a_game_has_a_wish_of_its_own_for_its_players(client: FlaskClient, sign_up: SignUp) -> None:
    ann, ben, stranger = sign_up("Ann"), sign_up("Ben"), sign_up()
    game = start(client, ann, ben)
    path = f"{game.path}/notifications"
    assert client.get(path, headers=ann.headers).get_json() == {"mail": "default", "answer": "default", "talk": "on"}
    for mail in ("off", "digest", "at_once", "default", "digest"):
        answer = client.patch(path, json={"mail": mail}, headers=ann.headers)
        assert (
            answer.get_json()
            == client.get(path, headers=ann.headers).get_json()
            == {"mail": mail, "answer": "default", "talk": "on"}
        )
    assert client.get(path, headers=ben.headers).get_json() == {"mail": "default", "answer": "default", "talk": "on"}
    assert client.get("/v1/me/notifications", headers=ann.headers).get_json()["next_digest_at"] is not None
    assert client.patch(path, json={"mail": "never"}, headers=ann.headers).status_code == 422
    assert client.patch(path, json={}, headers=ann.headers).status_code == 200
    assert client.get(path, headers=stranger.headers).status_code == 403
    solo = start_solo(client, ann)
    assert client.get(f"{solo.path}/notifications", headers=ann.headers).status_code == 404
    assert client.get(f"/v1/games/{solo.id}/notifications", headers=ann.headers).status_code == 404


def note(
    app: Flask, person: Person, number: int, at: datetime, state: str, reason: str | None, answer: str | None = None
) -> None:
    with app.app_context():
        mail = Mail(f"turn.G4mE8sWqKzRt.{number}.{person.account}", person.account, "turn", "G4mE8sWqKzRt")
        deliveries.record(db.session(), mail, state, at, reason=reason, answer=answer, queued_at=at)
        db.session.commit()


def test_mails_are_listed_the_newest_first_in_pages(app: Flask, client: FlaskClient, sign_up: SignUp) -> None:
    ann, ben = sign_up("Ann"), sign_up("Ben")
    begun = datetime(2026, 11, 20, 8, tzinfo=UTC)
    for number in range(5):
        note(app, ann, number, begun + timedelta(minutes=number // 2), "sent", None)  # two at a time
    note(app, ben, 9, begun, "sent", None)
    game = start(client, ann, ben)
    mover = game.to_move()
    seen, path = [], "/v1/me/deliveries?limit=2"
    while path:
        answer = client.get(path, headers=ann.headers)
        assert answer.status_code == 200 and len(answer.get_json()["items"]) <= 2
        seen += answer.get_json()["items"]
        path = f"/v1/me/deliveries?limit=2&cursor={answer.get_json()['next']}" if answer.get_json()["next"] else ""
    mine = [(each["state"], each["reason"], each["game"]) for each in seen]
    waiting = [("queued", "in_queue", game.id)] if mover is ann else []
    assert mine == waiting + [("sent", None, "G4mE8sWqKzRt")] * 5
    times = [each["queued_at"] for each in seen]
    assert times == sorted(times, reverse=True)
    assert client.get("/v1/me/deliveries?cursor=x", headers=ann.headers).status_code == 422
    assert client.get("/v1/me/deliveries").status_code == 401


def test_a_delivery_has_what_the_mail_server_answered(app: Flask, client: FlaskClient, sign_up: SignUp) -> None:
    ann = sign_up()
    note(app, ann, 1, datetime(2026, 11, 20, 8, tzinfo=UTC), "refused", "refused", "550 no such user")
    (listed,) = client.get("/v1/me/deliveries", headers=ann.headers).get_json()["items"]
    detail = listed.pop("detail")
    assert detail and listed == {
        "kind": "turn",
        "game": "G4mE8sWqKzRt",
        "state": "refused",
        "reason": "refused",
        "answer": "550 no such user",
        "queued_at": "2026-11-20T08:00:00.000Z",
        "at": "2026-11-20T08:00:00.000Z",
    }


def test_why_is_said_in_the_language_that_is_asked_for(app: Flask, client: FlaskClient, sign_up: SignUp) -> None:
    ann = sign_up()
    at = datetime(2026, 11, 20, 8, tzinfo=UTC)
    reasons = ("for_digest", "in_digest", "refused", "given_up", "came_back", "came_back_for_now", "stale", "off")
    for number, reason in enumerate(("mail_server", "address", *reasons)):
        note(app, ann, number, at, "dropped", reason)
    told = set()
    for code, word in (("en", "You do not want"), ("fr", "Tu ne veux"), ("es", "No quieres"), ("de", "Du möchtest")):
        answer = client.get("/v1/me/deliveries", headers={**ann.headers, "Accept-Language": code})
        assert answer.headers["Content-Language"] == code and "Accept-Language" in answer.headers["Vary"]
        details = [each["detail"] for each in answer.get_json()["items"]]
        assert any(detail.startswith(word) for detail in details)
        told |= set(details)
    assert len(told) == 40, "each reason has its words in each language"


def test_muting_is_beside_the_wishes_for_a_game_s_mails(client: FlaskClient, sign_up: SignUp) -> None:
    game = start(client, sign_up("Ann"), sign_up("Ben"))
    ann, path = game.players[0], f"{game.path}/notifications"
    wishes = {"mail": "default", "answer": "default", "talk": "on"}
    for change in (
        {"talk": "off"},
        {"mail": "digest"},
        {"talk": "on", "mail": "off"},
        {"answer": "whole"},
        {},
        {"mail": "default"},
        {"answer": "problems", "mail": "off"},
        {"answer": "default"},
        {"mail": "default"},
    ):
        wishes |= change
        assert game.client.patch(path, json=change, headers=ann.headers).get_json() == wishes
        assert game.client.get(path, headers=ann.headers).get_json() == wishes
    assert game.client.get(path, headers=game.players[1].headers).get_json() == {
        "mail": "default",
        "answer": "default",
        "talk": "on",
    }
    for field, value in (("talk", "loud"), ("answer", "at_once"), ("answer", None), ("mail", "short")):
        wrong = game.client.patch(path, json={field: value}, headers=ann.headers)
        assert (wrong.status_code, wrong.get_json()["errors"][0]["field"]) == (422, field)
    assert game.client.patch(path, json={"talk": "off"}, headers=sign_up().headers).status_code == 403


def test_clocks_5_1_reminders_are_chosen_and_shown_in_the_shortest_form(client: FlaskClient, sign_up: SignUp) -> None:
    ann = sign_up()
    for chosen, shown in (
        (["PT36H", "half", "PT60M"], ["P1DT12H", "half", "PT1H"]),
        (["P14D", "PT336H"], ["P14D"]),
        ([], []),
    ):
        answer = client.patch("/v1/me/notifications", json={"reminders": chosen}, headers=ann.headers)
        assert answer.status_code == 200 and answer.get_json() == UNTOLD | {"reminders": shown}
        assert client.get("/v1/me/notifications", headers=ann.headers).get_json()["reminders"] == shown


@pytest.mark.parametrize("points", [["PT59M"], ["P14DT1M"], ["whole"], [24], [None], "half", None, ["half"] * 6])
def test_clocks_5_1_what_is_no_point_is_refused(client: FlaskClient, sign_up: SignUp, points: object) -> None:
    answer = client.patch("/v1/me/notifications", json={"reminders": points}, headers=sign_up().headers)
    assert answer.status_code == 422
    assert answer.get_json()["errors"][0]["field"] in ("reminders", "reminders.0")
