"""Every `code` that a problem can have, with its statuses and what a client does about it.

The OpenAPI document lists the codes, and the page ``/docs/errors`` explains them; both are made from this table. A test
fails for each refusal whose code is not in it.
"""

from __future__ import annotations

from service.api.components import Component

CODES: dict[str, dict[str, tuple[str, str]]] = {
    "Requests": {
        "wrong_fields": ("422", "A field or a query parameter does not match its schema; `errors` names each of them."),
        "not_json": ("400", "The body is not JSON that every parser reads alike."),
        "bad_request": ("400", "The request breaks the rules of HTTP."),
        "unsupported_media_type": (
            "415",
            "Send the body with `Content-Type: application/json`; an import may be a text, too.",
        ),
        "unsupported_content_encoding": ("415", "Send the body without `Content-Encoding`: not compressed."),
        "not_acceptable": ("406", "`Accept` names none of the media types that this address has."),
        "body_too_large": ("413", "The body has more than 64 KiB."),
        "uri_too_long": ("414", "The address with its query is longer than the service reads."),
        "headers_too_large": ("431", "There are more headers, or longer ones, than the service reads."),
        "request_timeout": ("408", "The request was not complete in time; send it again."),
        "method_not_allowed": ("405", "The header `Allow` lists the methods of this address."),
        "not_found": ("404", "There is nothing at this address, or nothing that you may see."),
        "cursor_outdated": ("422", "The list began anew, as the service was restored; begin with the first page."),
        "idempotency_key_malformed": ("400", "`Idempotency-Key` must be 1 to 255 visible ASCII characters."),
        "idempotency_key_reused": ("422", "The same `Idempotency-Key` came with another body before; use a new key."),
    },
    "Signing in": {
        "token_missing": ("401", "Sign in, and send `Authorization: Bearer` with your access token."),
        "token_invalid": ("401", "The access token is malformed, unknown, revoked or expired; sign in again."),
        "account_gone": ("401", "The account was deleted."),
        "account_suspended": ("403", "The host has suspended the account; nothing can be done with it."),
        "code_invalid": ("403", "The code is wrong, used or expired. Use the newest, or ask for another."),
        "token_unknown": ("404", "You have no access token with this id."),
        "too_many_requests": (
            "429",
            "There were too many requests with this access token, or from your network without one; wait as long as"
            " `Retry-After` says.",
        ),
        "too_many_sign_ins": ("429", "Your network asked for too many codes; wait as long as `Retry-After` says."),
        "mails_limited": ("429", "You asked for too many codes to new addresses; wait as long as `Retry-After` says."),
        "too_many_tries": ("429", "Too many wrong codes were tried; wait as long as `Retry-After` says."),
    },
    "Tables and games": {
        "not_at_the_table": ("403", "Only the players of the table may do this."),
        "not_the_maker": ("403", "Only the player who made the table may do this."),
        "seat_of_a_bot": ("409", "A bot plays this seat; the number of bots stays as the table was opened."),
        "already_seated": ("409", "You sit at this table already, or the player whom you invite."),
        "already_started": ("409", "The game has started; this could be done only before."),
        "table_full": ("409", "The last seat was just taken."),
        "table_closed": ("409", "The table was closed before its game started."),
        "not_started": ("404, 409", "The game has not started; there is nothing to move or to show yet."),
        "not_running": ("409", "The game has not started, or it is over."),
        "not_over": ("409", "The game is not over; a rematch can be asked for, and the story read, then."),
        "nobody_left": ("409", "The others have deleted their accounts, so nobody can be invited."),
        "alone": ("409", "You play alone here, so there is nobody to talk to; write a note."),
        "no_such_player": ("404", "Nobody sits at this seat."),
        "no_such_note": ("404", "You have no such note at this table."),
        "no_such_version": ("404", "The game has not come to this version yet; `version` is the present one."),
        "unknown_rules": (
            "404, 503",
            "There is no such version of the rules here; `GET /v1/rules` has the newest. With 503, a game is played"
            " by a version that this server will know only when it has been updated.",
        ),
        "no_such_seat": ("404", "The table has no such seat; they run from 0."),
        "no_such_goal": ("404", "No tile that is placed at this version has such a goal."),
        "no_such_move": ("404", "The log has no entry with this number; they run from 1 to `version`."),
        "no_such_log": ("404", "There is no log of checkpoints with this number; `GET /v1/checkpoints` lists them."),
        "no_such_checkpoint": ("404", "The log has no published checkpoint of this size, or none at all yet."),
        "no_such_tile": ("404", "No published checkpoint has this tile, or its number is not written as it should."),
        "not_in_checkpoint": ("404", "No published checkpoint has this version of the game yet."),
        "no_such_state": ("404", "The service was restored, and the game went on differently; ask without `head`."),
        "text_unfit": ("422", "The text is empty, too long, or has characters that cannot be shown."),
        "too_many_open_tables": ("409", "You have `most` open tables; close one, or wait until one starts."),
        "too_many_games": ("409", "You sit at `most` tables whose games are not over; end a game, or leave a table."),
        "too_many_solos": ("409", "You have `most` solo sessions that are not over; end one."),
        "too_many_notes": ("409", "You have too many notes at this table; delete one."),
        "too_many_tables": ("429", "You opened too many tables within a day; wait as long as `Retry-After` says."),
        "too_many_messages": ("429", "You wrote too many messages within an hour; wait as long as `Retry-After` says."),
    },
    "Invitations": {
        "already_invited": ("409", "This address, or this player, has an open invitation to this table."),
        "no_such_invitation": ("404", "There is no such invitation to this table."),
        "invitation_used": ("409", "Somebody has taken a seat by this invitation."),
        "invitation_declined": ("409", "This invitation was declined."),
        "invitation_taken_back": ("409", "The player who made the table took this invitation back."),
        "invitation_expired": ("409", "This invitation has expired; ask for another."),
        "too_many_standing_invitations": (
            "409",
            "`most` of your invitations wait for an answer; take one back, or wait.",
        ),
        "no_such_link": ("404", "There is no such invitation link."),
        "link_revoked": ("409", "The player who made this invitation link has revoked it; ask for another."),
        "link_used_up": ("409", "This invitation link has let in as many players as it may; ask for another."),
        "link_expired": ("409", "This invitation link has expired; ask for another."),
        "link_suspended": (
            "409",
            "The player who made this invitation link may not invite anybody now; ask somebody else at the table.",
        ),
        "too_many_standing_links": ("409", "You have `most` open invitation links; revoke one, or wait."),
        "too_many_new_links": ("429", "You made too many invitation links; wait as long as `Retry-After` says."),
        "too_many_links": (
            "409",
            "The table has 10 open invitation links, so revoke one; or 100 were made to it in all.",
        ),
        "too_many_invitations": ("429", "You sent too many invitations; wait as long as `Retry-After` says."),
    },
    "Players": {
        "unknown_player": ("404", "Nobody has this player id, or the account was deleted or suspended."),
        "yourself": ("409", "This is your own player id, or your own address."),
        "player_blocked": ("409", "You have blocked a player who takes part in this; unblock them first."),
        "too_many_downloads": ("429", "You have two downloads going; wait until one ends."),
        "too_many_blocked": ("409", "You have blocked `most` players; unblock one."),
    },
    "Imports": {
        "no_such_import": ("404", "There is no such import, or it is another account's, which does not share it."),
        "bad_record": (
            "422",
            "The record does not hold: `fault` and `entry` say why, as `docs/FORMATS.md` has them."
            " The reason in `detail` may be in English.",
        ),
        "bad_text": (
            "422",
            "The text is refused: `fault` and `line` say why, as `docs/NOTATION.md` has them."
            " The reason in `detail` may be in English.",
        ),
        "name_too_long": ("422", "A name in the record or the text has more than 30 characters; shorten it."),
        "no_text": ("404", "This exploration is no variation of its game, or you may not see that any more."),
        "no_record": (
            "404",
            "This import is a text that is not complete, or the exploration began after the version that `at` names.",
        ),
        "too_many_imports": ("409", "You have `most` imports; delete one."),
        "too_many_imported": (
            "429",
            "You tried to import too many games within an hour, refused ones included; wait as long as `Retry-After`"
            " says.",
        ),
    },
    "Explorations": {
        "no_such_exploration": ("404", "You have no such exploration."),
        "not_explored": ("409", "This move is one of the game that is explored; only later ones can be taken back."),
        "too_many_explorations": ("409", "You have `most` explorations; delete one."),
        "too_many_new_explorations": (
            "429",
            "You began too many explorations within an hour; wait as long as `Retry-After` says.",
        ),
    },
    "Moves": {
        "version_required": ("428", "Name the version that you chose the move at: `expected_version` or `If-Match`."),
        "stale_version": ("409, 412", "The game is at `version` by now. Get it, and choose the move again."),
        "malformed_move": ("422", "This is no move."),
        "not_your_turn": ("422", "It is the turn of another seat, by the ruling in `rule`."),
        "tile_not_offered": ("422", "The tile is not among the choices. `legal` has the legal moves."),
        "cell_not_open": ("422", "The tile cannot be placed on this cell. `legal` has the legal moves."),
        "refill_not_allowed": ("422", "The selection track cannot be refilled now, by the ruling in `rule`."),
        "already_left": ("422", "You have left this game, so you can neither move in it nor leave it again."),
        "game_over": ("409", "The game is over."),
    },
    "Clocks": {
        "no_clock": ("409", "This game has no clock."),
        "not_yours_to_give": ("403", "Time is given by the other players to the one who is to move, and not to a bot."),
        "too_much": ("422", "All offers together would give more time than allowed."),
        "has_left": ("409", "You have left this game, so you cannot keep it from ending."),
        "not_on_autopilot": ("409", "No bot plays your seat."),
        "too_often": ("429", "You did this too often; wait as long as `Retry-After` says."),
        "bad_quiet": ("422", "The quiet times are wrong; `errors` names the field."),
        "too_much_quiet": ("422", "Quiet times may take 112 hours of a week at most."),
        "past": ("422", "An absence cannot begin in the past."),
        "too_short": ("422", "The absence is shorter than 24 hours, counted from 12 hours after you announce it."),
        "too_long": ("422", "The absence is too long; to prolong it, announce another."),
        "too_far": ("422", "The absence ends more than 550 days from now."),
        "too_many_absences": ("422", "You have announced 20 absences that are not over; wait, or come back."),
        "overlap": ("422", "The absence overlaps another of yours."),
        "allowance": ("422", "You have no days of absence left."),
    },
    "Events": {
        "events_gone": (
            "410",
            "What happened since your cursor is no longer kept. Read your games again, and go on from `after`.",
        ),
        "cursor_malformed": ("422", "`Last-Event-ID` is not the `id` of an event."),
        "too_many_streams": ("429", "You have too many streams or waiting requests; close some."),
        "streams_unavailable": ("503", "This web server keeps no connections open; ask without `wait`."),
    },
    "The service": {
        "overloaded": ("503", "Too many requests are waiting; try again after `Retry-After`."),
        "database_unavailable": ("503", "The database does not answer; try again after `Retry-After`."),
        "not_ready": ("503", "A part of the service is missing; `checks` says which."),
        "pictures_busy": ("503", "Too many pictures are being drawn; try again after `Retry-After`."),
        "no_picture": ("503", "The picture could not be drawn; try again after `Retry-After`."),
        "too_many_pictures": ("429", "You asked for too many new pictures; those that exist are still there."),
        "too_many_reads": ("429", "The calendar was read too often; wait as long as `Retry-After` says."),
        "internal_error": ("500", "The fault is ours, and was logged; try again later."),
    },
}
"""By subject and code: the statuses, and the explanation."""

ALL = frozenset(code for codes in CODES.values() for code in codes)
"""All codes."""

PROBLEM_CODE = Component(
    "ProblemCode", {"type": "string", "enum": [code for codes in CODES.values() for code in codes]}
)
"""The codes as a type of the OpenAPI document. A client must accept others, because new ones come with new versions."""

PAGE = "/docs/errors"
"""The page that explains the codes; each has an anchor there."""
