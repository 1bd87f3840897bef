"""The sentences of a reply about each line of the mail that it answers."""

from __future__ import annotations

from dataclasses import replace

from engine.solo import Solo
from service.access.links import game_mails_page, rules_page, settings_page
from service.access.reply_addresses import MUTE, STOP
from service.language.durations import say_why
from service.language.happenings import happening
from service.language.languages import Language
from service.language.people import People
from service.language.sanitize import one_line
from service.mail import time_lines
from service.mail.codes import what_begins
from service.mail.command_phrases import in_words, move_in_words
from service.queries.reply_context import Answered
from service.reading.shown_words import SHOWN
from service.store import mail_outcome as done
from service.store.mail_outcome import Line


def outcome_of(line: Line, answered: Answered, people: People, base_url: str) -> str:
    """Return the outcome of a line, in a sentence or two."""
    if line.what == done.RULES:
        url = rules_page(base_url, people.language.code, answered.rules)
        return people.language.say("The rules are at %(url)s and what you can write is explained below.", url=url)
    if line.what == done.SETTINGS:
        return people.language.say(
            "Your settings are at %(url)s: which mails you get and when, your name, address and time zone, all that is "
            "stored about you, and how to delete your account. You sign in there with a code that you are mailed.",
            url=settings_page(base_url),
        )
    if line.what == done.STOPPED and answered.outcome.game is not None:
        is_solo = answered.turn is not None and isinstance(answered.turn.state, Solo)
        return people.language.say(
            "You get no more mails of this game, but for answers to your own. %(url)s takes it back; you sign in there "
            "with a code that you are mailed.",
            url=settings_page(base_url) if is_solo else game_mails_page(base_url, answered.outcome.game),
        )
    if line.what == done.SIGNED_UP and "name" in line.facts:
        return people.language.say(
            "You have an account now, with this address. No name stood beside it that could be taken, so the others "
            "see none; set one at %(url)s, where you sign in with a code that you are mailed.",
            url=settings_page(base_url),
        )
    if line.what == done.STILL_ASKED:
        return _still_asked(line, answered, people.language)
    if line.what == done.GAMES and not answered.games:
        return people.language.say("You are in no game now.")
    if line.what == done.PLAYED and line.seq in answered.steps:
        made = answered.steps[line.seq]
        return happening(made.step, people, covered_by=made.covered_by) or ""
    if line.what in (done.REFUSED, done.LEFT_OUT) and line.why is not None:
        return say_why(line.why, people.language)
    if line.what == done.UNCLEAR and line.code in (done.LIKELY, done.WHICH_CELL, done.WHICH_TILE):
        return _likely(line, answered, people.language)
    if line.what == done.UNCLEAR:
        return _unclear(line, people.language)
    return time_lines.outcome_of(line, answered.to.reader, answered.tables) or _done(line, people.language)


def written(text: str, language: Language) -> str:
    """Return a line as its writer wrote it; a command is given in the reader's language."""
    if (words := in_words(text, language)) is not None:
        return words
    first, space, rest = one_line(text).partition(" ")
    verb = next((verb for verb, word in SHOWN["en"].items() if word == first), None)
    return f"{SHOWN[language.code][verb]}{space}{rest}" if verb else f"{first}{space}{rest}"


def _reading(text: str, language: Language) -> str:
    """Return a command that a line may have meant, in the reader's language."""
    return move_in_words(text, language) or written(text, language)


def nothing_read(kind: str, language: Language) -> str:
    """Say why nothing was done, depending on what the mail had instead of a line that can be read."""
    say = language.say
    match kind:
        case "empty":
            return say("Your mail was empty, so nothing was done.")
        case "subject":
            return say(
                "The subject of your mail isn’t read, so nothing was done: write it in the mail itself, at the top."
            )
        case "picture":
            return say("Your mail has a picture and no text, so nothing was done: only text is read.")
        case "encrypted":
            return say(
                "Your mail is encrypted, and there is no key here to read it with, so nothing was done. "
                "Please write it without encryption; a signature does no harm."
            )
        case "calendar":
            return say("Your mail is an answer to a calendar’s invitation, so nothing was done: only text is read.")
        case "attachment":
            return say("Your mail has attachments and no text, so nothing was done: only text is read.")
        case _:
            return say("There is no line in your mail that says what to do, so nothing was done.")


def _likely(line: Line, answered: Answered, language: Language) -> str:
    """Say which move may have been meant, or what a move lacks."""
    say, move = language.say, answered.proposal
    number, _, letters = line.readings[0].partition(" ")
    if line.code == done.WHICH_CELL:
        cells = ", ".join(reading.partition(" ")[2] for reading in line.readings)
        example = language.quoted(line.readings[0])
        return say(
            "Which cell? Choice %(number)s can go to %(cells)s; write %(example)s, for example. "
            "Nothing was played yet.",
            number=number,
            cells=cells,
            example=example,
        )
    if line.code == done.WHICH_TILE:
        meant = language.listed(map(language.quoted, line.readings), "or")
        return say("Which tile at %(cell)s? Write %(readings)s. Nothing was played yet.", cell=letters, readings=meant)
    if move is None:
        return _unclear(replace(line, readings=line.readings[:1]), language)
    word = language.quoted(SHOWN[language.code]["yes"])
    if not move.choice:
        return say("Did you mean a refill? Then answer %(word)s and it is done. Nothing was done yet.", word=word)
    return say(
        "Did you mean choice %(number)s (tile %(tile)s) at %(cell)s? Then answer %(word)s and it is played. "
        "Nothing was played yet.",
        number=move.choice,
        tile=move.tile,
        cell=move.letters,
        word=word,
    )


def _still_asked(line: Line, answered: Answered, language: Language) -> str:
    """Return the sentence that tells the effect of a yes to this reply, the same as of one to the mail before."""
    say, word = language.say, {verb: language.quoted(text) for verb, text in SHOWN[language.code].items()}
    is_new = answered.to.account is None
    what = say(
        "You wrote to Nova Luna by post. It is a service on which people play the board game Nova Luna by mail, one "
        "move at a time. Nobody reads this mailbox; a program answers what it understands."
    )
    if line.code == done.INVITATION:
        agree = say(
            "That was neither a yes nor a no to the invitation. Answer this mail with %(word)s at its top, and you "
            "have a seat, or with %(stop)s to decline.",
            word=word["yes"],
            stop=word["stop"],
        )
        return f"{agree} {what}" if is_new else agree
    if answered.pending:
        agree = say("That was no yes. Answer this mail with %(word)s at its top.", word=word["yes"])
        return " ".join([agree, what_begins(answered.pending, language), *([what] if is_new else [])])
    new = language.quoted(f"{SHOWN[language.code]['new']} 3")
    if not is_new:
        return say(
            "Answer this mail with what you would like to begin: %(solo)s, or %(new)s for a table of three.",
            solo=word["solo"],
            new=new,
        )
    return say(
        "Answer this mail with %(word)s at its top to have an account, or with what you would like to begin: %(solo)s, "
        "or %(new)s for a table of three.",
        word=word["yes"],
        solo=word["solo"],
        new=new,
    )


def _unclear(line: Line, language: Language) -> str:
    say = language.say
    why = [] if line.why is None else [say_why(line.why, language)]
    if line.code == done.EXAMPLE:
        examples = language.listed((language.quoted(_reading(each, language)) for each in line.readings), "or")
        return " ".join([*why, say("Nothing was done. Write %(examples)s, for example.", examples=examples)])
    if line.readings:
        meant = language.listed((language.quoted(_reading(each, language)) for each in line.readings), "or")
        return " ".join([*why, say("Nothing was done. If you meant %(readings)s, write that.", readings=meant)])
    if why:
        return " ".join([*why, say("Nothing was done.")])
    return say("Nothing was done: it is not clear what that means.")


def _done(line: Line, language: Language) -> str:
    say = language.say
    match line.what:
        case done.ASKED if line.code in (STOP, MUTE):
            asks = (
                say("A mail that did not come from your address asks that you get no more mails of this game.")
                if line.code == STOP
                else say("A mail that did not come from your address asks that your mails leave out what is said here.")
            )
            word = language.quoted(SHOWN[language.code]["yes"])
            agree = say("If that is what you want, answer this mail with %(word)s.", word=word)
            return f"{asks} {agree}"
        case done.ASKED:
            return say(
                "Do you really want to leave the game? It can’t be taken back. If so, answer this mail with %(word)s.",
                word=language.quoted(SHOWN[language.code]["yes"]),
            )
        case done.LEFT_OUT:
            return say("This was left out: something before it was no move, was not clear or was not played.")
        case done.SAID:
            return say("The others at the table will read it in their next mail.")
        case done.NOTED:
            return say("Noted: your turn mails show it, to you alone.")
        case done.MUTED:
            return say("Your mails leave out what is said at this table from now on.")
        case done.UNMUTED:
            return say("Your mails tell again what is said at this table.")
        case done.BLOCKED:
            word = language.quoted(f"{SHOWN[language.code]['unblock']} …")
            return say(
                "You get no new tables together, no invitations from each other, and you read nothing of what this "
                "player says. Games that you share go on, and nobody is told. %(word)s takes it back.",
                word=word,
            )
        case done.UNBLOCKED:
            return say("This player is no longer blocked.")
        case done.HELP:
            return say("What you can write is explained below.")
        case done.HISTORY:
            return say("What has happened so far stands below.")
        case done.STATUS:
            return say("The table as it is stands below.")
        case done.GAMES:
            return say("Your games stand below.")
        case done.OPENED:
            return say("The table %(table)s is open, and you sit at it.", table=line.table)
        case done.INVITED:
            return say("This address is mailed an invitation.")
        case done.REMATCH:
            return say(
                "The table %(table)s is open for a rematch. You sit at it, and the others are mailed an invitation.",
                table=line.table,
            )
        case done.JOINED:
            return say("You sit at the table %(table)s.", table=line.table)
        case done.SOLO:
            return say("A solo has begun.")
        case done.DECLINED:
            return say("You declined the invitation.")
        case done.LANGUAGE:
            return say("Your mails come in English from now on.")  # each language names itself
        case done.SIGNED_UP:
            return say("You have an account now, with this address.")
        case _:
            return ""
