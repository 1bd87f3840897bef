"""The service's web application without its caches, so that each GET of a game replays its log, and each picture is drawn."""

from service.api import boards
from service.api.context import KEPT_TABLES
from service.queries.kept_tables import KeptTables
from service.wsgi import app

app.extensions[KEPT_TABLES] = KeptTables(0)
boards.CACHED = 0
