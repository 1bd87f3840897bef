"""Lines that take back or change what stands above them: nothing of that mail is done, and what was meant is asked."""

import pytest

from service.reading.commands import New, Note, Pick, Refill, Resign, Say, Yes
from service.reading.corrections import corrects
from service.reading.incoming_mail import read
from service.reading.reply_parser import ReplyCommands, parse_reply
from tests.unit.reading.corpus import meant, told
from tests.unit.reading.eml import alternative, mail, page, plain

CORRECTIONS = [
    "Hmm, no, sorry, I meant 1 A please.", "Oops sorry, I meant 2 B!", "no wait, 2 A", "No wait, don't!",
    "Oh no wait, please don't, I want to play on!", "Nein, doch lieber 3 F", "Pardon, je voulais dire 3 F",
    "Perdón, quería decir 3 F", "or 3 F", "if that's not possible 3 G", "wait", "Sorry, scrap that.", "Actually, no.",
    "No.", "Nope!", "or", "(or 3 F)", "Or maybe 3 G", "else 3 G", "Oops!", "Oops, wrong tile.",
    "I meant the second tile at F.", "No, I meant 2 F", "Sorry, I meant the blue one",
    "Actually I'd rather take 2 at F", "On second thought, 3 B", "On second thoughts I'd rather keep it",
    "Please ignore that", "Please ignore my last line", "Forget it", "Never mind", "Scratch that", "don't",
    "Please don't", "Don't do it!", "Please don't resign, I want to continue", "I changed my mind",
    "I've changed my mind, sorry", "Hang on, that's wrong", "Wait, that's not what I meant", "That was a typo",
    "Make that 2 B", "make it 3 G", "2 A instead", "instead 2 A", "I don't want to resign", "I didn't want that",
    "If 1 A is not free then 2 B", "if that isn't possible, refill", "Otherwise 2 B", "Not 1 A but 2 A", "Nein",
    "Nein, doch nicht!", "Doch nicht.", "Halt, nein!", "Moment, ich meinte 3 F", "Ich meinte natürlich 3 F",
    "Sorry, ich habe mich vertippt", "Entschuldigung, ich meinte 2 B", "Quatsch, 2 B", "oder 3 F", "oder lieber 3 F",
    "falls das nicht geht, 3 G", "wenn das nicht geht: 3 G", "sonst 3 G", "Vergiss das bitte", "Lieber nicht",
    "Bitte nicht!", "Bitte doch nicht, ich will weiterspielen", "Ich will doch weiterspielen", "stattdessen 3 F",
    "Nein warte", "Non", "Non, attends", "Non finalement", "Finalement non", "En fait, 3 F",
    "Oups, je voulais dire 2 B", "Désolé, je voulais mettre 3 F", "Je me suis trompé, 3 F", "ou 3 F", "ou plutôt 3 F",
    "sinon 3 G", "si ce n'est pas possible, 3 G", "si c'est pas possible 3 G", "Annule ça", "Oublie ça", "Attends !",
    "Non, surtout pas !", "Je ne veux pas abandonner", "Plutôt 3 F", "No, espera", "Espera", "¡Espera!", "Mejor 3 F",
    "No, mejor 3 F", "o 3 F", "o mejor 3 F", "si no se puede, 3 G", "Perdona, quise decir 2 B", "Me he equivocado",
    "Me equivoqué, era 2 B", "Olvídalo", "No lo hagas", "Mejor no", "Al final no", "En realidad no",
    "No quiero abandonar", "stop, don't", "Wait!! I meant 2 B", "sorry, 2 B", "Thanks. Oh wait, no.",
    "Bitte nicht spielen", "edit: 2 B", "Correction: 2 B", "I'd rather not", "Nein, bitte nicht", "No, please don't",
    "Ups, falsches Feld", "ups, 3 F",
]  # fmt: skip
TALK = [
    "No idea how you did that!", "wait for my revenge ;-)", "I meant to write earlier", "Sorry for the delay",
    "Oh no, you took my tile", "Oh no, you took my tile!", "Sorry for the delay!", "PS: 3 G would have been nice",
    "Nice move, Ben!", "Wait until you see my next move!", "No problem", "No hurry!", "No worries, take your time",
    "No rush", "Don't worry", "Don't forget the party on Friday", "Don't give up!", "I can't wait for your move",
    "Can't wait!", "Not bad!", "Not bad, Ben", "I don't know what you are planning", "I don't mind waiting",
    "Sorry, I was ill.", "Sorry it took so long", "Sorry, was at work until 8 h", "Desolé pour le retard",
    "Désolé, je rentre à 8 h", "Je voulais te dire bravo", "Je voulais dire bravo à Ben", "Pardon pour le retard",
    "Perdón por el retraso", "Perdona la tardanza", "Quería decirte que juegas muy bien",
    "Entschuldigung für die Verspätung", "Tut mir leid, dass es so lange gedauert hat", "Ich meinte das nicht böse",
    "Nein, das war knapp!", "Nein, so ein Pech", "Na warte!", "Warte nur, das wird noch was",
    "Actually, that was fun", "Actually I think you're winning", "That was a tough one", "I hope that's not too mean",
    "Hope you're well", "Good luck!", "See you on Monday or Tuesday", "We play on 2 December",
    "The weather is not so nice here", "If you have time, come for a coffee", "Wenn du Zeit hast, komm vorbei",
    "Si tu as le temps, viens", "No sé cómo lo haces", "No está mal", "¡No me lo puedo creer!", "No me esperaba eso",
    "Je n'en peux plus", "Pas mal !", "Pas de souci", "Je ne sais pas", "Nicht schlecht!", "Nicht zu fassen",
    "Kein Problem", "Ich will nicht immer verlieren", "Thanks", "Thanks for the game",
    "Thank you, and sorry for the wait", "Sorry about the wait", "Sorry to keep you waiting",
    "I didn't mean to keep you waiting", "I wanted to play earlier", "I wanted to say hello", "I mean it!",
    "Never thought I'd make it", "Hold on to your hats", "Ann", "Ann Smith", "What a mistake of mine last time, haha",
    "You make it hard for me!", "Oops, I forgot to answer yesterday", "Oops, sorry for the late answer!",
    "Or so I hope", "See you soon", "I wanted the blue one but you got it", "Your turn", "Better late than never",
    "Besser spät als nie", "Mejor tarde que nunca", "Mieux vaut tard que jamais", "Stop me if you can",
    "My cat says no to everything", "I'd like to play another one after this",
    "I want to play another game after this", "Ich will auch mal gewinnen",
    "Quiero jugar otra vez mañana", "Je veux jouer encore demain", "Je préfère ce jeu",
    "Greetings from Berlin, 3 degrees here", "Plan B it is", "I had 2 As in school", "Vitamin C",
    "that was the wrong time to go on holiday", "Das war nicht so gemeint", "Es war nicht leicht", "C'est pas facile",
    "no comment", "No pain no gain", "No more excuses", "But who knows", "So close!",
]  # fmt: skip


def answer(text: str) -> ReplyCommands:
    return parse_reply(read(mail(plain(text))))


@pytest.mark.parametrize("line", CORRECTIONS)
def test_a_line_that_takes_back_holds_the_move_above(line: str) -> None:
    for text in (f"1 A\n{line}\n", f"1 A\n\n{line}\n\nBen\n", f"1 A\n\nCheers,\nBen\n\nPS: {line}\n"):
        if "PS:" in text and not corrects(f"PS: {line}"):
            continue
        read_as = answer(text)
        assert read_as.commands == () and list(map(told, read_as.held)) == ["1 A"], text
        assert read_as.suggestion is not None and read_as.guess is None and read_as.agreement is None


@pytest.mark.parametrize("line", TALK)
def test_conversation_below_a_move_does_not_hold_it(line: str) -> None:
    for text in (f"1 A\n\n{line}\n\nBen\n", f"1 A\n{line}\n"):
        assert list(map(told, answer(text).commands)) == ["1 A"], text


@pytest.mark.parametrize("above", ["Yes", "Ja.", "resign", "refill", "say hello", "note hello", "new 3 players"])
def test_all_that_a_mail_asks_for_is_held(above: str) -> None:
    read_as = answer(f"{above}\n\nNo wait, don't!\n")
    assert read_as.commands == () and isinstance(read_as.held[0], Yes | Resign | Refill | Say | Note | New)


def test_both_readings_are_told_of_a_corrected_move() -> None:
    read_as = answer("3 A\n\nHmm, no, sorry, I\nmeant 1 A please.\n\nBen\n")
    assert read_as.suggestion is not None
    assert read_as.suggestion.line == "Hmm, no, sorry, I meant 1 A please."
    assert list(map(told, read_as.suggestion.meant)) == ["3 A", "1 A"]


def test_what_stands_below_a_correction_is_not_done_either() -> None:
    read_as = answer("1 A\nno wait\n2 B\n")
    assert read_as.commands == () and read_as.unread == ("2 B",)


def test_undo_below_a_move_holds_it() -> None:
    assert answer("1 A\nundo\n").held == (Pick(1, None, "A", None, "1 A"),)


def test_what_is_told_to_the_table_holds_nothing() -> None:
    assert meant(answer("1 A\nsay No way!\nWait, I meant it as a joke.\n"))[0] == "1 A"
    assert answer("1 A\nsay Well played\nno wait, 2 A\n").commands == ()


def test_a_quote_and_a_signature_hold_nothing() -> None:
    assert meant(answer("1 A\n\n> no wait, 2 A\n")) == ("1 A",)
    assert meant(answer("1 A\n-- \nNo wait, 2 A\n")) == ("1 A",)


def test_a_correction_in_one_of_two_texts_holds() -> None:
    both = alternative(plain("1 A\n"), page("<p>1 A</p><p>Oops sorry, I meant 2 B!</p>"))
    assert parse_reply(read(mail(both))).commands == ()


def test_questions_are_answered_beside_what_is_held() -> None:
    assert meant(answer("status\n1 A\nno wait\n")) == ("status", "near no wait")
