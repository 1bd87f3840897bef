"""The service's web part when it keeps no views: each GET of a game is then one of a version not asked for before."""

from service.api.context import KEPT_TABLES
from service.queries.kept_tables import KeptTables
from service.wsgi import app

app.extensions[KEPT_TABLES] = KeptTables(0)
