"""What is ours of the web server: limits on what a client may do, admission, canned answers, signs of life and log lines; all else is
gunicorn's and gevent's."""
