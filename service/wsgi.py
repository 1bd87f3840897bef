"""The web server's target."""

import os

from service.app import create_app
from service.config import Settings

app = create_app(Settings.from_environ(os.environ))
