"""Questions about the table in four languages: each is answered, and none is sent to the other players."""

import pytest

from service.reading.commands import Say
from service.reading.grammar import command
from service.reading.incoming_mail import read
from service.reading.reply_parser import parse_reply
from service.reading.suggestions import suggest
from tests.unit.reading.corpus import meant, told
from tests.unit.reading.eml import mail, plain

ASKED = {
    "status": [
        "status", "Status?", "board", "show me the board", "Can you show me the board?", "when is my turn?",
        "When's my turn", "whose turn is it?", "Whose turn is it", "who's winning?", "Who is ahead?", "Who goes next?",
        "is it my turn yet?", "Am I winning?", "what's the score?", "How many discs does Ben have left?",
        "Tell me, whose turn is it?", "tell me whose turn it is, please", "Say, whose turn is it?",
        "Could you tell me who is next?", "Do you know when I can play?", "How does it stand?", "standings",
        "whats the score", "Which tiles can I take?", "what can I take?", "Did Ben move?", "Has Ben moved?",
        "Who are we waiting for?", "Who do we wait for?", "How's the game?", "What tiles are there?",
        "When is the game over?", "table", "Führe ich?", "Auf wen warten wir?", "Was liegt aus?",
        "Was sind meine Möglichkeiten?", "Ist Ben schon dran?", "das Brett", "zeig das Brett", "Tisch", "Je gagne ?",
        "On attend qui ?", "Qui attend-on ?", "Où on en est ?", "C'est à toi ou à moi ?", "statut", "¿Voy ganando?",
        "¿A quién esperamos?", "la mesa", "Stand", "Spielstand bitte", "Wer ist dran?", "Sag mir, wer dran ist",
        "Sag mal, wer ist am Zug?", "Wann bin ich wieder dran?", "Wer gewinnt gerade?", "Wie steht es?",
        "Bin ich an der Reihe?", "Wessen Zug ist es?", "Zeig mir das Brett", "Kannst du mir sagen, wer führt?",
        "Was kann ich nehmen?", "Hat Ben schon gezogen?", "état", "À qui le tour ?", "C'est à qui ?",
        "C’est mon tour ?", "Quand est-ce que c'est mon tour ?", "Qui gagne ?", "Qui mène ?",
        "Dis-moi, à qui le tour ?", "Dis, c'est à qui de jouer ?", "Montre-moi le plateau", "Où en est la partie ?",
        "Peux-tu me dire qui joue ?", "Que puis-je prendre ?", "estado", "tablero", "¿A quién le toca?",
        "A quien le toca", "¿Cuándo me toca?", "¿Quién va ganando?", "Dime, ¿a quién le toca?", "¿Es mi turno?",
        "¿Cómo va la partida?", "¿Me toca a mí?", "Muéstrame el tablero", "¿Qué puedo tomar?",
        "Which moves are possible?", "What are the legal moves?", "legal moves", "Which moves can I make?",
        "Welche Züge sind möglich?", "Quels coups sont possibles ?", "¿Qué jugadas son posibles?",
        "How much time do I have left?", "How long do I have?", "Wie viel Zeit habe ich noch?",
        "Combien de temps me reste-t-il ?", "¿Cuánto tiempo me queda?",
        "resend", "Please send it again", "send the picture again", "nochmal schicken bitte", "renvoie-moi le mail",
        "reenviar por favor",
    ],
    "games": [
        "games", "my games", "list my games", "Which games am I in?", "spiele", "Meine Spiele",
        "Welche Spiele habe ich?", "parties", "mes parties", "Quelles sont mes parties ?", "partidas", "mis partidas",
        "¿Qué partidas tengo?",
    ],
    "rules": [
        "rules", "the rules, please", "What are the rules?", "How do I play?", "show me the rules", "I need the rules",
        "Regeln", "Spielregeln", "Wie geht das Spiel?", "Wie sind die Regeln?", "règles", "Quelles sont les règles ?",
        "Comment on joue ?", "reglas", "¿Cuáles son las reglas?", "¿Cómo se juega?",
    ],
    "settings": [
        "settings", "My settings, please", "How do I change my email address?", "How can I delete my account?",
        "I want to delete my account", "change my time zone", "Can I get fewer mails?", "too many mails!",
        "daily digest please", "only one mail a day, please", "What do you know about me?", "export my data",
        "Einstellungen", "Wie kann ich mein Konto löschen?", "weniger Mails bitte", "Wo finde ich die Einstellungen?",
        "Ich möchte meine Adresse ändern", "réglages", "Je voudrais supprimer mon compte",
        "Comment changer mon adresse ?", "moins de mails svp", "fuseau horaire", "ajustes", "Quiero borrar mi cuenta",
        "¿Cómo puedo cambiar mi dirección?", "menos correos por favor",
        "Please delete my account and all my data", "Please change my name to Annie", "My new address: a@example.org",
        "Change my time zone to Europe/London", "subscribe", "mails on", "I'd like mails again, please",
        "Bitte lösche mein Konto", "Löschen Sie bitte mein Konto", "Wie lösche ich mein Konto?",
        "Bitte ändere meinen Namen in Uli", "Meine neue Adresse ist a@example.org", "Ich möchte doch wieder Mails",
        "Mails wieder an", "Supprime mon compte s'il te plaît", "Veuillez supprimer mon compte",
        "Ma nouvelle adresse est a@example.org", "Ma nouvelle adresse : a@example.org", "Change mon nom en Annie",
        "Je veux de nouveau des mails", "Borra mi cuenta por favor", "Por favor, elimine mis datos",
        "Cambia mi nombre a Ana", "Mi nueva dirección es a@example.org", "¿Cómo borro mi cuenta?",
        "Quiero correos otra vez",
    ],
    "help": [
        "What can I write?", "How do I take a tile?", "Was kann ich schreiben?", "Que puis-je écrire ?",
        "¿Qué puedo escribir?",
    ],
    "history": [
        "What happened?", "Which moves were made?", "Was ist bisher passiert?", "Que s’est-il passé ?",
        "¿Qué ha pasado?",
    ],
    "pass": [
        "pass", "I pass", "Pass!", "skip my turn", "pass this time", "Can I pass?", "I'd like to pass", "passen",
        "Ich passe.", "Kann ich passen?", "Ich möchte passen", "passer", "Je passe mon tour", "Je peux passer ?",
        "pasar", "Paso.", "paso turno", "¿Puedo pasar?", "Quiero pasar",
    ],
    "undo": [
        "undo", "undo please", "Undo my last move", "take it back", "Can I take my last move back?",
        "I want to undo my move", "zurücknehmen", "Kann ich den Zug zurücknehmen?", "rückgängig machen", "annuler",
        "Puis-je annuler mon coup ?", "deshacer", "¿Puedo deshacer mi jugada?",
    ],
}  # fmt: skip
TALK = [
    "How are you?", "Who are you?", "Wie geht es dir?", "Ça va ?", "¿Qué tal?", "Will you be at the party?",
    "How long have you been playing?",
    "Nice board!", "What a game!", "Pass auf!", "I passed my exam", "The rules of life", "Tell me a joke", "Dis donc !",
    "Dime algo", "Die Adresse hat sich geändert", "I had to change my address yesterday", "Please remove the red tile",
    "Ich habe meinen Namen geändert", "delete my move", "change of plan",
]  # fmt: skip


@pytest.mark.parametrize(("kind", "line"), [(kind, line) for kind, lines in ASKED.items() for line in lines])
def test_a_question_is_understood(kind: str, line: str) -> None:
    for around in ("{}", "{}\n\nThanks, Tom", "Hi!\n\n{}", "I hope you are well.\n{}\nBest,\nTom\n3B"):
        answer = parse_reply(read(mail(plain(around.format(line)))))
        assert meant(answer) == (kind,), around


@pytest.mark.parametrize("line", TALK)
def test_talk_is_no_question(line: str) -> None:
    assert command(line) is None


def test_a_text_for_the_table_stays_one() -> None:
    for line in (
        "say whose turn is it?",
        "say: who's winning?",
        "tell Ben well played",
        "sag allen: wer ist dran?",
        "dire à qui le tour ?",
    ):
        asked = command(line)
        assert asked is not None and told(asked).startswith("say ")


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("tell the others I'm sorry", "I'm sorry"),
        ("Tell everyone: well played", "well played"),
        ("tell the table hi", "hi"),
        ("sage allen hallo", "hallo"),
        ("Sag den anderen: hallo", "hallo"),
        ("dis à tous bonjour", "bonjour"),
        ("Dis aux autres : à demain", "à demain"),
        ("di a todos hola", "hola"),
        ("Di a los demás: hola", "hola"),
        ("tell Ben well played", "Ben well played"),
        ("say to everyone hello", "hello"),
    ],
)
def test_a_message_has_none_of_the_words_for_all_the_others(line: str, text: str) -> None:
    assert command(line) == Say(text)


@pytest.mark.parametrize("line", ["tell the others", "sag allen:", "dis à tous", "di a todos"])
def test_words_for_all_the_others_alone_are_no_message(line: str) -> None:
    assert command(line) is None
    assert (unclear := suggest(line)) is not None and unclear.suggestion.meant == ()


def test_a_bare_move_below_a_question_is_asked_back() -> None:
    assert meant(parse_reply(read(mail(plain("Whose turn is it? Mine?\n2 F"))))) == ("status", "near 2 F")
    assert meant(parse_reply(read(mail(plain("status\n2 F"))))) == ("status", "2 F")
