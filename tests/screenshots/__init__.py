"""Screenshots of every mail and every page, for a person to look at: `.venv/bin/python -m tests.screenshots FOLDER`."""
