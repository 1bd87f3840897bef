"""The web server's target."""

import atexit
import gc
import os

from service import logs, metrics
from service.app import create_app
from service.config import Settings
from service.language.languages import CODES, language
from service.store import waking

logs.configure_process()
_settings = Settings.from_environ(os.environ)
metrics.begin(_settings)
app = create_app(_settings)
for _code in CODES:  # once, before there are processes: reading a catalog takes long beside a request
    language(_code)
_waker = waking.Waker(_settings)
waking.use(_waker)
atexit.register(_waker.close)

# What is there by now stays, so the collector of garbage need not look through it, which takes a tenth of a second and
# more while requests wait. The requests that are sent most leave it nothing, others little: it may come later than else.
gc.freeze()
gc.set_threshold(10_000, 10, 10)
