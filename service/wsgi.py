"""The web server's target."""

import os

from service import logs
from service.app import create_app
from service.config import Settings

logs.configure()
app = create_app(Settings.from_environ(os.environ))
