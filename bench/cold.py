"""The service's web part when it keeps no views: each GET of a game is then one of a version not asked for before."""

from service.api.view_cache import ViewCache
from service.wsgi import app

app.extensions["novaluna-views"] = ViewCache(0)
