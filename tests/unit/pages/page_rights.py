"""Table of rights of the pages: the status with which each is answered, by who asks.

``nobody`` has no session; ``bearer`` is nobody with the owner's access token, which pages do not take; ``link`` is
nobody with the link to the table that another player was mailed. ``expired`` and ``suspended`` are the owner with a
session that is over, or while suspended. ``outsider`` has to do with nothing there, ``player`` is another player at the
table, and the ``owner`` is the player to move, who has opened the tables. A ``guest`` plays a solo. A page leads
``nobody`` to the sign-in by 303, and a form by the page of its 403; elsewhere 303 leads to the page of what was done.
`{game}` is a private game, `{over}` one that is over, `{open}` a private table with free seats, `{public}` a public
one, `{owner}` the owner, `{exploration}` an exploration and `{import}` an import of the owner's.
"""

from __future__ import annotations

_TABLE = """
                                       nobody  bearer  link  expired  suspended  outsider  player  owner  guest
GET  /games/{game}                     404     404     200   404      404        404       200     200    404
GET  /games/{game}/text                404     404     200   404      404        404       200     200    404
GET  /games/{public}                   200     200     200   200      200        200       200     200    200
GET  /games/{game}/choices             404     404     404   404      404        404       404     200    404
GET  /games/{game}/changes             404     404     204   404      404        404       204     204    404
GET  /games/{public}/changes           204     204     204   204      204        204       204     204    204
POST /games/{game}                     403     403     403   403      403        303       303     303    303
POST /games/{game}/moves               403     403     404   403      403        404       404     303    404
POST /games/{game}/messages            403     403     403   403      403        404       303     303    403
POST /games/{game}/notes               403     403     403   403      403        404       303     303    403
GET  /games/{game}/all-messages        303     303     303   303      403        404       200     200    303
GET  /games/{game}/all-notes           303     303     303   303      403        404       200     200    303
GET  /games/{game}/mails               303     303     303   303      403        404       200     200    303
POST /games/{game}/mails               403     403     403   403      403        404       303     303    403
POST /games/{game}/leaving             403     403     403   403      403        404       303     303    404
POST /games/{open}/leaving             403     403     403   403      403        404       303     303    404
POST /games/{open}/players             403     403     403   403      403        404       409     409    403
POST /games/{public}/players           403     403     403   403      403        303       409     409    403
POST /games/{open}/invitation-links    403     403     403   403      403        404       403     303    403
POST /games/{open}/invitations         403     403     403   403      403        404       403     303    403
GET  /imports                          303     303     303   303      403        200       200     200    303
POST /imports                          403     403     403   403      403        422       422     422    403
GET  /imports/{import}                 404     404     404   404      404        404       404     200    404
GET  /imports/{import}/text            404     404     404   404      404        404       404     200    404
POST /imports/{import}                 403     403     403   403      403        404       404     303    403
POST /games/{game}/rematch             403     403     403   403      403        404       409     409    403
POST /tables/invitations               403     403     403   403      403        404       404     404    403
GET  /tables                           303     303     303   303      403        200       200     200    200
POST /tables/language                  403     403     403   403      403        303       303     303    303
GET  /tables/current                   303     303     303   303      403        200       200     200    200
GET  /tables/finished                  303     303     303   303      403        200       200     200    200
GET  /tables/open                      200     200     200   200      200        200       200     200    200
GET  /tables/new                       303     303     303   303      403        200       200     200    303
POST /tables/new                       403     403     403   403      403        303       303     303    403
POST /tables/new-solo                  303     303     303   303      403        303       303     303    303
GET  /players/{owner}                  200     200     200   200      404        200       200     200    200
POST /players/{owner}/block            403     403     403   403      403        303       303     409    403
GET  /account                          303     303     303   303      200        200       200     200    303
POST /account/tokens                   403     403     403   403      403        303       303     303    403
POST /sign-out                         403     403     403   403      303        303       303     303    303
GET  /settings                         303     303     303   303      403        200       200     200    303
POST /settings/profile                 403     403     403   403      403        303       303     303    403
POST /settings/mail                    403     403     403   403      403        303       303     303    403
POST /settings/reminders                403     403     403   403      403        303       303     303    403
GET  /settings/times                   303     303     303   303      403        200       200     200    303
POST /settings/times/quiet             403     403     403   403      403        303       303     303    403
POST /settings/times/absences          403     403     403   403      403        303       303     303    403
GET  /settings/account                 303     303     303   303      403        200       200     200    303
POST /settings/account/address         403     403     403   403      403        303       303     303    403
POST /settings/account/code            403     403     403   403      403        403       403     403    403
GET  /settings/account/games.ndjson    303     303     303   303      403        200       200     200    303
POST /settings/account/deletion        403     403     403   403      403        303       303     303    403
POST /games/{game}/explorations        403     403     403   403      403        404       409     409    403
POST /games/{over}/explorations        403     403     403   403      403        404       303     303    403
GET  /explorations                     303     303     303   303      403        200       200     200    303
GET  /explorations/{exploration}       303     303     303   303      403        404       404     200    303
POST /explorations/{exploration}       403     403     403   403      403        404       404     303    403
POST /explorations/{exploration}/moves 403     403     403   403      403        404       404     404    404
GET  /explorations/{exploration}/choices 303    303     303   303      403        404       404     200   303
GET  /explorations/{exploration}/record 303     303     303   303      403        404       404     200   303
GET  /explorations/{exploration}/text  303     303     303   303      403        404       404     200    303
GET  /settings/account/explorations.ndjson 303     303     303   303      403        200       200     200    303
GET  /                                 200     200     200   200      200        200       200     200    200
GET  /sign-in                          200     200     200   200      200        200       200     200    200
"""

_HEAD, *_ROWS = (line.split() for line in _TABLE.strip().splitlines())

CALLERS = tuple(_HEAD)
"""Who asks."""

RIGHTS = {f"{method} {path}": dict(zip(CALLERS, map(int, statuses), strict=True)) for method, path, *statuses in _ROWS}
"""The statuses by request and caller."""

FOR_ALL = {"POST /tables/new-solo", "POST /tables/language", "POST /sign-out"}
"""Requests that do something for who is not signed in with an address."""

ELSEWHERE = {"record_page"}
"""Pages that know no session: their link decides."""
