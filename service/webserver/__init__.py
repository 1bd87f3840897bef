"""Our additions to the web server: limits for clients, admission, canned responses, liveness reports and log lines.

Everything else is gunicorn's and gevent's.
"""
