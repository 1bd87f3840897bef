"""The service's web application without its caches.

Each GET of a game or a record replays its log, each picture is drawn, each page rendered.
"""

from service.api.context import context_of
from service.wsgi import app

_context = context_of(app)
_context.tables.size = 0
_context.records.size = 0
_context.drawings.size = 0
_context.pages.size = 0
_context.packed_pages.size = 0
