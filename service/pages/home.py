"""The page `/`: what this is, with a picture, and where people begin; programmers are led to the API's reference."""

from __future__ import annotations

from flask import Blueprint, Response

from service.pages import example_table, requested_language
from service.pages.rendering import page

blp = Blueprint("home_page", __name__)


@blp.get("/")
def show_home() -> Response:
    """Show how one plays by mail, in the language of the link, else in the reader's, and where to begin."""
    reader = requested_language.reader()
    return page(
        "home.html",
        reader,
        picture=example_table.picture(reader.language),
        others=requested_language.others(reader.language),
    )
