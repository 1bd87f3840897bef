"""The WSGI application that gunicorn loads."""

import atexit
import gc
import os

from service.garbage import uncollected

with uncollected():
    from service import logs, metrics
    from service.app import create_app
    from service.config import Settings
    from service.language.languages import CODES, language
    from service.store import waking

logs.configure_process()
_settings = Settings.from_environ(os.environ)
metrics.begin(_settings)
app = create_app(_settings)
for _code in CODES:  # once, before forking, and of this release: reading a catalog takes much longer than a request
    language(_code)
_waker = waking.Waker(_settings)
waking.use(_waker)
atexit.register(_waker.close)

# Everything allocated so far stays, so the garbage collector need not scan it, which takes a tenth of a second or
# more while requests wait. Frequent requests leave no cyclic garbage and others little: it may run less often.
gc.freeze()
gc.set_threshold(10_000, 10, 10)
