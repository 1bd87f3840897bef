"""The least that Flask can do: the yardstick for the service's web part."""

from flask import Flask

app = Flask("hello")


@app.get("/")
def hello() -> str:
    return "Hello, World!"
