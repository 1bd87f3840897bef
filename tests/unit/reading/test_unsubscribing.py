"""Lines that ask for no more mails, as people write them, and lines that ask for something else."""

import pytest

from service.reading.commands import Stop
from service.reading.grammar import command

UNSUBSCRIBING = [
    "Unsubscribe me please", "please unsubscribe", "I want to unsubscribe", "I'd like to unsubscribe from this list",
    "Please remove me from your mailing list.", "remove me from this list", "Take me off this list!",
    "take me off your list, please", "Stop mailing me", "Stop emailing me!", "STOP SENDING ME EMAILS",
    "stop sending these mails", "please stop sending me any more mails", "Please stop these emails",
    "don't write to me", "Don't email me again.", "Do not contact me anymore", "please don't send me any more emails",
    "Don't send me mails about this game", "no more emails", "no more emails please", "no further mails",
    "I don't want any more mails", "I do not want to receive these emails anymore", "I want no more mails from you",
    "leave me alone", "Please leave me alone!", "opt out", "Bitte melden Sie mich ab", "Ich möchte mich abmelden",
    "Bitte keine E-Mails mehr", "keine weiteren Mails bitte", "Ich möchte keine Mails mehr",
    "Ich will keine E-Mails mehr bekommen", "Schreibt mir nicht mehr", "Bitte schickt mir keine Mails mehr",
    "Nehmt mich von der Liste", "Bitte löschen Sie mich aus Ihrem Verteiler.", "Lasst mich in Ruhe!",
    "Désabonnez-moi", "Désinscrivez-moi s'il vous plaît", "désabonne-moi de cette liste", "Je veux me désabonner",
    "Je voudrais me désinscrire", "Ne m'écrivez plus", "Ne m'envoyez plus de mails", "Arrêtez de m'écrire",
    "Arrêtez de m'envoyer des mails", "Je ne veux plus de mails", "Je ne veux plus recevoir vos mails",
    "plus de mails svp", "Laissez-moi tranquille", "Retirez-moi de votre liste", "Quiero darme de baja",
    "dadme de baja", "Denme de baja por favor", "No me escriban más", "No me envíes más correos",
    "Dejen de escribirme", "Deja de enviarme correos", "No quiero más correos", "no quiero recibir más correos",
    "Quítenme de la lista", "Déjenme en paz",
]  # fmt: skip

OTHERWISE = [
    "don't stop mailing me", "don't unsubscribe me", "remove me from this game", "take me off the table",
    "no mail on Sundays", "no more mails at night", "stop sending pictures", "stop sending me reminders",
    "don't write to Ben", "delete me",
    "no more messages", "stop sending me messages", "keine Nachrichten mehr", "mas", "plus",
    "plus de temps", "más tiempo", "ab", "more mails please",
    "I want mails", "no mail", "me abandonne", "ich melde mich", "Melde mich morgen", "ich schreibe dir mehr",
    "don't message Ben about this game", "never mind", "don't bother",
]  # fmt: skip


@pytest.mark.parametrize("line", UNSUBSCRIBING)
def test_a_wish_for_no_more_mails_is_stop(line: str) -> None:
    assert command(line) == Stop()
    assert command(f"{line}?") != Stop()


@pytest.mark.parametrize("line", OTHERWISE)
def test_what_wishes_for_something_else_is_not_stop(line: str) -> None:
    assert command(line) != Stop()
