"""The service's web application without its caches, so that each GET of a game replays its log, and each picture is drawn."""

from service.api import boards
from service.api.context import context_of
from service.wsgi import app

context_of(app).tables.size = 0
boards.CACHED = 0
