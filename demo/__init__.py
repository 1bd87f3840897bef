"""The command `make play`: three people play a whole game with nothing but a mailbox and HTTP.

The service runs beside it as anybody would start it, by `novaluna up`. The script is a client of it: it reads the mails
that were delivered, and sends requests. From the project it uses a bot, the audit, and the code that starts a process
which ends with it.

    __main__.py   the command: arguments, signals, exit code     story.py     the steps, from the first mail to the last
    launch.py     the service, in a fresh data folder            game.py      the moves, and what must have been mailed
    people.py     the players; requests over HTTP                postbox.py   the mails, as they arrive
    screen.py     the terminal                                   errors.py    what can go wrong
"""
