"""`make play`: a whole game played by three people who have nothing but a mailbox and HTTP.

The service runs beside it as anybody starts it, `novaluna up`. The script is a client of it: it reads the mails that were
delivered, and sends requests. From the project it takes a bot, the audit, and how to start a process that ends with it.

    __main__.py   the command: arguments, signals, exit code     story.py     the steps, from the first mail to the last
    launch.py     the service, in a fresh data folder            game.py      the moves, and what must have been mailed
    people.py     who plays; requests over HTTP                  postbox.py   the mails, as they come
    screen.py     the terminal                                   errors.py    what can go wrong
"""
