"""Answers as the mail programs that people use write them, each with what it means."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from service.reading.commands import AccountSettings, Block, Command, Join, New, Note, Pick, Say, Unblock
from service.reading.reply_parser import ReplyCommands
from tests.unit.reading import desktop, phones, webmail
from tests.unit.reading.original import Original, original

Program = Callable[[list[str], Original], bytes]


@dataclass(frozen=True, slots=True)
class Case:
    """An answer: the program that wrote it, its language, its lines, and the commands in it as `told` words them."""

    program: Program
    language: str
    lines: tuple[str, ...]
    meaning: tuple[str, ...]

    @property
    def raw(self) -> bytes:
        """Return the mail as it comes in."""
        return self.program(list(self.lines), original(self.language))

    def __str__(self) -> str:
        return f"{self.program.__name__}-{self.language}-{'/'.join(self.lines)[:30]}"


def told(asked: Command) -> str:
    """Return a command in a few words: `2 F`, `tile 17 F`, `tile 17 (1, -2)`, `say …`, `new 3 a@b.org`."""
    match asked:
        case Pick(choice, tile, cell, at, _):
            number = f"tile {tile}" if choice is None else f"{choice}"
            return f"{number} {cell or at}"
        case Say(text):
            return f"say {text}"
        case Note(text):
            return f"note {text}"
        case Block(player) | Unblock(player):
            return f"{type(asked).__name__.lower()} {player}"
        case Join(code):
            return f"join {code}"
        case AccountSettings():
            return "settings"
        case New(seats, addresses):
            return " ".join(["new", str(seats or "?"), *addresses])
        case _:
            return type(asked).__name__.lower()


def meant(answer: ReplyCommands) -> tuple[str, ...]:
    """Return all commands of an answer, and `near …` at the end if a line is almost one."""
    end = (f"near {answer.suggestion.line}",) if answer.suggestion else ()
    return (*(told(asked) for asked in answer.commands), *end)


def _case(program: Program, language: str, lines: str, meaning: str) -> Case:
    return Case(program, language, tuple(lines.split("|")), tuple(meaning.split("|")) if meaning else ())


w, p, d = webmail, phones, desktop

CASES = tuple(
    _case(*entry)
    for entry in (
        (w.gmail, "en", "2 F", "2 F"),
        (w.gmail, "en", "Hi there,||tile 17 at F||Cheers, Ann", "tile 17 F"),
        (w.gmail, "en", "2f|1b", "2 F|1 B"),
        (w.gmail, "fr", "Bonjour,||2 F||Merci !", "2 F"),
        (w.gmail, "fr", "tuile 17 en F", "tile 17 F"),
        (w.gmail, "es", "Hola:||2 F, por favor.", "2 F"),
        (w.gmail, "es", "rellenar", "refill"),
        (w.gmail, "de", "Hallo,||Plättchen 17 auf F||Viele Grüße|Ann", "tile 17 F"),
        (w.gmail, "de", "auffüllen|2 F", "refill|2 F"),
        (w.gmail, "de", "2 F|sagen Na, das war knapp!", "2 F|say Na, das war knapp!"),
        (w.gmail_below, "en", "2 F", "2 F"),
        (w.gmail_below, "fr", "2 F|3 AA", "2 F|3 AA"),
        (w.gmail_below, "es", "17@1,-2", "tile 17 (1, -2)"),
        (w.gmail_below, "de", "F2", "2 F"),
        (w.gmail_inline, "en", "2 F", "2 F"),
        (w.gmail_inline, "de", "2 F||danke!", "2 F"),
        (w.gmail_inline, "fr", "je prends la 2 en F", "2 F"),
        (w.gmail_signature, "en", "2 F", "2 F"),
        (w.gmail_signature, "es", "ayuda", "help"),
        (w.gmail_struck, "en", "2 F|3 G", ""),
        (w.gmail_struck, "de", "2 F|Das muss ich mir noch überlegen.", ""),
        (w.gmail_struck, "es", "resign|2 F", ""),
        (w.gmail_signed, "fr", "dire Bien joué !", "say Bien joué !"),
        (w.gmail_signed, "en", "2 F|say Good luck", "2 F|say Good luck"),
        (w.outlook_numbered, "de", "2. F", "2 F"),
        (w.outlook_numbered, "en", "2. F|1 B", "2 F|1 B"),
        (w.outlook_web, "en", "2 F", "2 F"),
        (
            w.outlook_web,
            "en",
            "Thanks for the quick game!||2 F||Ann",
            "near 2 F",
        ),  # talk, and then maybe where Ann lives
        (w.outlook_web, "en", "Thanks for the quick game!||I play 2 F||Ann", "2 F"),
        (w.outlook_web, "fr", "remplir", "refill"),
        (w.outlook_web, "es", "ficha 17 a F", "tile 17 F"),
        (w.outlook_web, "de", "aufgeben", "resign"),
        (w.outlook_web_prefixed, "en", "2 F", "2 F"),
        (w.outlook_web_prefixed, "de", "2 F|1 B", "2 F|1 B"),
        (w.outlook_web_prefixed, "fr", "historique", "history"),
        (w.outlook_html_only, "en", "2 F", "2 F"),
        (w.outlook_html_only, "es", "2 F", "2 F"),
        (w.outlook_html_only, "de", "Hallo!|2 F", "2 F"),
        (w.yahoo, "en", "2 F", "2 F"),
        (w.yahoo, "fr", "2F", "2 F"),
        (w.yahoo, "es", "abandonar", "resign"),
        (w.yahoo, "de", "verlauf", "history"),
        (w.gmx, "de", "2 F", "2 F"),
        (w.gmx, "de", "Hallo zusammen,|ich nehme 2 auf F|Gruß|Ann", "2 F"),
        (w.gmx, "en", "help", "help"),
        (w.gmx, "fr", "abandonner", "resign"),
        (w.orange, "fr", "2 F", "2 F"),
        (w.orange, "fr", "dire Bien joué, à toi !", "say Bien joué, à toi !"),
        (w.orange, "es", "2 F", "2 F"),
        (w.zimbra, "fr", "2 F", "2 F"),
        (w.zimbra, "fr", "Salut,||mon coup : 2 F||Bises", "2 F"),
        (w.zimbra, "de", "2 F", "2 F"),
        (w.zimbra, "en", "stop", "stop"),
        (w.aol, "en", "2 F", "2 F"),
        (w.aol, "es", "detalle|2 F", "near 2 F"),
        (w.proton, "en", "2 F", "2 F"),
        (w.proton, "de", "2 F bitte", "2 F"),
        (w.proton, "fr", "2 F, merci", "2 F"),
        (w.roundcube, "de", "2 F", "2 F"),
        (w.roundcube, "fr", "aide", "help"),
        (w.horde, "de", "2 F", "2 F"),
        (w.horde, "es", "2 F", "2 F"),
        (w.horde, "fr", "2 F", "2 F"),
        (w.zoho, "en", "2 F", "2 F"),
        (w.zoho, "es", "Mi jugada: 2 F", "2 F"),
        (w.fastmail, "en", "2 F", "2 F"),
        (w.fastmail, "de", "notiz als Nächstes Rot", "note als Nächstes Rot"),
        (p.iphone, "en", "2 F", "2 F"),
        (p.iphone, "en", "Sure.|2 F", "2 F"),
        (p.iphone, "fr", "2 F", "2 F"),
        (p.iphone, "es", "2 F", "2 F"),
        (p.iphone, "de", "2 F", "2 F"),
        (p.iphone, "de", "2 F.", "2 F"),
        (p.iphone_plain, "en", "say nice one", "say nice one"),
        (p.iphone_plain, "fr", "2 F", "2 F"),
        (p.iphone_plain, "es", "decir ¡buena jugada!", "say ¡buena jugada!"),
        (p.iphone_plain, "de", "2 F|1 B|3 C", "2 F|1 B|3 C"),
        (p.outlook_phone, "en", "2 F", "2 F"),
        (p.outlook_phone, "fr", "2 F", "2 F"),
        (p.outlook_phone, "es", "2 F", "2 F"),
        (p.outlook_phone, "de", "2 F", "2 F"),
        (p.samsung, "en", "2 F", "2 F"),
        (p.samsung, "fr", "2 F", "2 F"),
        (p.samsung, "es", "2 F", "2 F"),
        (p.samsung, "de", "ich gebe auf", "resign"),
        (p.gmail_phone, "en", "2 F", "2 F"),
        (p.gmail_phone, "fr", "2 F", "2 F"),
        (p.gmail_phone, "de", "Mein Zug: 2 F", "2 F"),
        (p.k9, "en", "2 F", "2 F"),
        (p.k9, "de", "2 F", "2 F"),
        (p.k9, "fr", "2 F", "2 F"),
        (p.k9_headers, "de", "2 F", "2 F"),
        (p.k9_headers, "es", "historial", "history"),
        (p.k9_bare, "en", "2 F", "2 F"),
        (p.k9_bare, "de", "2 F", "2 F"),
        (p.blackberry, "en", "2 F", "2 F"),
        (p.blackberry, "es", "2 F", "2 F"),
        (p.spark, "en", "2 F", "2 F"),
        (p.spark, "fr", "2 F", "2 F"),
        (d.outlook, "en", "2 F", "2 F"),
        (d.outlook, "en", "2 F|3 B", "2 F|3 B"),
        (d.outlook, "fr", "2 F", "2 F"),
        (d.outlook, "es", "2 F", "2 F"),
        (d.outlook, "de", "Hallo,|2 F|Mit freundlichen Grüßen|Ann Example", "2 F"),
        (d.outlook_plain, "en", "2 F", "2 F"),
        (d.outlook_plain, "fr", "2 F", "2 F"),
        (d.outlook_plain, "es", "2 F", "2 F"),
        (d.outlook_plain, "de", "2 F", "2 F"),
        (d.apple, "en", "2 F", "2 F"),
        (d.apple, "fr", "2 F", "2 F"),
        (d.apple, "es", "2 F", "2 F"),
        (d.apple, "de", "2 F|stopp", "2 F|stop"),
        (d.apple_around_picture, "en", "2 F", "2 F"),
        (d.apple_around_picture, "de", "2 F", "2 F"),
        (d.thunderbird, "en", "2 F", "2 F"),
        (d.thunderbird, "de", "2 F|1 B", "2 F|1 B"),
        (d.thunderbird_below, "en", "2 F", "2 F"),
        (d.thunderbird_below, "fr", "2 F", "2 F"),
        (d.thunderbird_below, "es", "2 F", "2 F"),
        (d.thunderbird_below, "de", "2 F", "2 F"),
        (d.thunderbird_within, "en", "2 F", "2 F"),
        (d.thunderbird_within, "fr", "2 F", "2 F"),
        (d.evolution, "en", "2 F", "2 F"),
        (d.evolution, "de", "2 F", "2 F"),
        (d.kmail, "en", "2 F", "2 F"),
        (d.kmail, "de", "2 F", "2 F"),
        (d.mutt, "en", "2 F", "2 F"),
        (d.mutt, "en", "17@1,-2", "tile 17 (1, -2)"),
        (d.mutt, "de", "auffüllen", "refill"),
        (d.mailx, "en", "2 F", "2 F"),
        (d.mailx, "en", "new 3 players, ben@example.org, cleo@example.org", "new 3 ben@example.org cleo@example.org"),
        (d.mailx, "fr", "rejoindre 7QK2M-XN4TB", "join 7QK2M-XN4TB"),
        (d.mailx, "es", "solo", "solo"),
        (d.claws, "en", "2 F", "2 F"),
        (d.claws, "es", "2 F", "2 F"),
        (d.gnus, "en", "2 F", "2 F"),
        (d.alpine, "en", "2 F|1 B", "2 F|1 B"),
        (d.alpine, "fr", "2 F", "2 F"),
        (d.notes, "en", "2 F", "2 F"),
        (d.notes, "de", "2 F", "2 F"),
        (d.t_online, "de", "2 F", "2 F"),
        (d.em_client, "en", "2 F", "2 F"),
        (d.em_client, "de", "2 F", "2 F"),
        # Lines that are almost commands, and lines that are none.
        (w.gmail, "en", "2 F or 3 G?", "near 2 F or 3 G?"),
        (w.gmail, "de", "2 F|3", "2 F|near 3"),
        (d.thunderbird_below, "en", "2", "near 2"),
        (p.iphone, "en", "refil", "near refil"),
        (w.outlook_web, "de", "Was soll ich tun?", "help"),
        (w.outlook_web, "es", "1 A o 2 B", "near 1 A o 2 B"),
        (w.gmail, "fr", "Je suis en congé jusqu'au 5 décembre. Bonne partie à tous !", "away"),
        (d.outlook, "de", "Abwesend bis 5.12. Viele Grüße", "away"),
        (p.iphone, "es", "Sí, estoy segura", "yes"),
        (w.gmail, "fr", "Oui, sûre et certaine", "yes"),
        (w.yahoo, "fr", "Inscris-moi stp", "help"),
        (d.outlook, "en", "Nice move, Ben!", ""),
        (w.yahoo, "es", "¿Qué tal?", ""),
        (w.gmail, "fr", "", ""),
    )
)
