"""Every mail and every page, photographed for somebody to look at: `.venv/bin/python -m tests.screenshots FOLDER`."""
