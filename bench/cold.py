"""The service's web application without its cache of views, so that each GET of a game replays its log."""

from service.api.context import KEPT_TABLES
from service.queries.kept_tables import KeptTables
from service.wsgi import app

app.extensions[KEPT_TABLES] = KeptTables(0)
