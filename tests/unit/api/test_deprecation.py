"""Deprecated operations and fields: how the OpenAPI document and the responses say so."""

from datetime import date
from email.utils import parsedate_to_datetime
from typing import Any

import http_sf
import pytest
from flask import Flask
from flask.testing import FlaskClient
from marshmallow import fields

from service.api import deprecation, flask_adapter, middleware
from service.api.blueprint import Blueprint
from service.api.openapi import Api, as_data
from service.api.schema import ResponseSchema


class Lamp(ResponseSchema):
    """A lamp."""

    watts = fields.Integer(required=True, metadata={"deprecated": True, "description": "Use `lumens`."})
    lumens = fields.Integer(required=True)


@pytest.fixture
def app() -> Flask:
    """Return an application with an operation that is deprecated, and others at the same path and elsewhere."""
    app = Flask("lamps")
    blp = Blueprint("lamps", __name__, description="Lamps.")

    @blp.route("/v1/lamps/<string:game_id>", methods=["GET"])
    @deprecation.deprecated(since=date(2026, 12, 1), sunset=date(2027, 12, 1), instead="Use `GET /v1/lights`.")
    @blp.response(200, Lamp, example={"watts": 60, "lumens": 800})
    def get_lamp(game_id: str) -> Any:
        """Get a lamp.

        It may be lit.
        """
        return {"watts": 60, "lumens": 800}

    @blp.route("/v1/lamps/<string:game_id>", methods=["DELETE"])
    @blp.response(204)
    def delete_lamp(game_id: str) -> Any:
        """Throw a lamp away."""

    flask_adapter.init_app(app)
    api = Api(app)
    api.register_blueprint(blp)
    middleware.init_app(app)
    app.extensions["described"] = api.described
    return app


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


def test_responses_announce_the_end_of_their_operation(client: FlaskClient) -> None:
    for path, status in (("/v1/lamps/a", 200), ("/v1/lamps/a?color=red", 422)):
        answer = client.get(path)
        assert answer.status_code == status
        parsed: Any = http_sf.parse(answer.headers["Deprecation"].encode(), tltype="item")
        assert parsed[0].date() == date(2026, 12, 1)
        assert answer.headers["Sunset"] == "Wed, 01 Dec 2027 00:00:00 GMT"
        assert parsedate_to_datetime(answer.headers["Sunset"]).date() == date(2027, 12, 1)
        assert answer.headers["Link"].startswith('</docs/guide/versions>; rel="deprecation"')


def test_other_responses_announce_nothing(client: FlaskClient) -> None:
    for answer in (client.delete("/v1/lamps/a"), client.get("/v1/nothing")):
        assert {"Deprecation", "Sunset", "Link"}.isdisjoint(dict(answer.headers))


def test_the_document_marks_operations_and_fields(app: Flask) -> None:
    data = as_data(app.extensions["described"]())
    got, thrown = (data["paths"]["/v1/lamps/{game_id}"][method] for method in ("get", "delete"))
    assert got["deprecated"] is True and "deprecated" not in thrown
    assert got["summary"] == "Get a lamp."
    assert got["description"] == (
        "It may be lit.\n\nDeprecated since 2026-12-01, and may be gone from 2027-12-01 on. Use `GET /v1/lights`."
    )
    watts, lumens = (data["components"]["schemas"]["Lamp"]["properties"][name] for name in ("watts", "lumens"))
    assert watts["deprecated"] is True and "deprecated" not in lumens
