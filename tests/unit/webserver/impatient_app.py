"""The service's application, whose streams send heartbeats and look after their access tokens several times a second.

It is loaded like the application itself, when the standard library is patched.
"""

from service.api import event_bodies
from service.events import hub
from service.wsgi import app

__all__ = ["app"]

event_bodies.HEARTBEAT = 0.5
hub.CHECKS_EVERY = 0.2
