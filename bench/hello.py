"""A minimal Flask application, the yardstick for the service's web server."""

from flask import Flask

app = Flask("hello")


@app.get("/")
def hello() -> str:
    """Return a greeting."""
    return "Hello, World!"
