"""Say in words which checkpoint commits to a game, and by what its players can tell that they see the same game."""

from __future__ import annotations

from service.language.languages import Reader
from service.queries.checkpoint_notice import Notice


def sentences(notice: Notice, reader: Reader) -> list[str]:
    """Return the sentences on a game's header and checkpoint, for a page or a mail."""
    say = reader.language.say
    told = [
        say(
            "The hash of this game’s header begins with %(digits)s. Compare these digits with the others: whoever plays"
            " the same game sees the same.",
            digits=notice.header,
        )
    ]
    found = notice.commitment
    if found is None:
        told.append(say("No checkpoint has this game yet."))
    else:
        told.append(
            say(
                "The checkpoint of %(when)s, with the size %(size)s in the log %(origin)s, has this game up to entry"
                " %(version)s.",
                origin=found.origin,
                size=str(found.size),
                when=reader.moment(found.signed_at),
                version=str(found.version),
            )
        )
    if notice.is_going_on and (found is None or found.version < notice.version):
        told.append(say("The next checkpoint will have it as it is now."))
    return told
