"""Recognize that a line asks for no more mails, in the words that people use: `Please take me off your list.`

Four languages are read. A line that says anything else, such as at which hours no mail is wanted, asks for something
else.
"""

from __future__ import annotations

import re

# Only in French are mails also called messages, which elsewhere are what is said at a table.
_MAILS = r"(?:(?:turn )?(?:e-?)?mails?|notifications?|spam)"
_MAILS_DE = r"(?:(?:e-?)?mails?|benachrichtigungen)"
_MAILS_FR = r"(?:(?:e-?)?mails?|messages?|courriels?|notifications?)"
_MAILS_ES = r"(?:(?:e-?)?mails?|correos?(?: electronicos?)?|notificaciones)"
_THESE = r"(?: (?:any|all|these|this|those|the|your|such|more|further))*"

_ENGLISH = (
    rf"(?:unsubscribe(?: me)?|opt(?: me)? out)(?: from{_THESE} (?:mailing list|list|{_MAILS}))?",
    rf"(?:remove|delete|take|drop) me (?:off|from|out of){_THESE} (?:(?:e-?)?mail ?|mailing )?(?:lists?|database)",
    rf"(?:remove|delete) my (?:(?:e-?)?mail )?address(?: from{_THESE} (?:mailing )?lists?)?",
    r"stop (?:e-?mailing|mailing|messaging|writing(?: to)?|contacting|bothering|spamming) me",
    rf"stop(?: sending(?: me)?)?{_THESE} {_MAILS}",
    r"(?:don't|dont|do not|never) (?:e-?mail|mail|message|write|write to|contact|spam|bother) me",
    rf"(?:don't|dont|do not|never) send(?: me)?{_THESE} (?:{_MAILS}|anything)",
    rf"no (?:more|further) {_MAILS}",
    rf"(?:want|need|wish) no(?: more| further)? {_MAILS}",
    rf"(?:don't|dont|do not) (?:want|need|wish)(?: to (?:get|receive|have))?{_THESE} {_MAILS}",
    r"leave me alone",
)
_GERMAN = (
    r"(?:melde|meldet|melden sie|trage|tragt|tragen sie) mich (?:(?:von|aus) (?:der|dieser|eurer|ihrer) liste )?"
    r"(?:ab|aus)",
    rf"(?:mich )?(?:abmelden|austragen)|(?:die |alle |diese )?{_MAILS_DE} abbestellen",
    r"(?:nimm|nehmt|streiche|streicht|losche|loscht|entferne|entfernt|(?:nehmen|streichen|loschen|entfernen) sie)"
    r" mich (?:von|aus) (?:d|dies|eur|ihr|dein)e[rm] (?:liste|mailingliste|verteilerliste|verteiler)(?: raus| heraus)?",
    r"(?:schreib|schreibe|schreibt|schreiben sie) mir (?:nicht|nie) (?:mehr|wieder)",
    r"(?:schick|schicke|schickt|schicken sie|sende|sendet|senden sie) mir "
    rf"(?:keine {_MAILS_DE} mehr|keine weiteren {_MAILS_DE}|nichts mehr)",
    rf"keine {_MAILS_DE} mehr|keine weiteren {_MAILS_DE}",
    rf"(?:will|mochte|moechte) keine (?:weiteren )?{_MAILS_DE}(?: mehr)?(?: bekommen| erhalten| haben)?",
    r"(?:lass|lasst|lassen sie) mich in (?:ruhe|frieden)",
)
_FRENCH = (
    r"(?:desabonne|desabonnez|desinscris|desinscrivez|retire|retirez|enleve|enlevez|supprime|supprimez)-moi"
    rf"(?: de (?:la|cette|votre|ta|vos|ces) (?:liste(?: de diffusion)?|listes|{_MAILS_FR}))?",
    r"me (?:desabonner|desinscrire)|desinscription|desabonnement",
    rf"ne m'(?:ecris|ecrivez|envoie|envoies|envoyez) plus(?: (?:de |d'|aucun )?(?:{_MAILS_FR}|rien))?",
    r"ne me (?:contacte|contactes|contactez) plus",
    rf"(?:arrete|arretez|cesse|cessez) de m'(?:ecrire|envoyer (?:des |ces |vos |tes )?{_MAILS_FR})",
    rf"(?:ne )?(?:veux |voudrais |souhaite )?plus (?:recevoir )?(?:de |d'|aucun |vos |ces ){_MAILS_FR}",
    r"(?:laisse|laissez)-moi (?:tranquille|en paix)",
)
_SPANISH = (
    r"(?:dame|deme|denme|dadme|darme) de baja(?: de (?:la|esta|su|tu|vuestra) lista)?",
    r"(?:quita|quite|quiten|quitad|borra|borre|borren|borrad|elimina|elimine|eliminen|saca|saque|saquen)me"
    r" de (?:la|esta|su|tu|vuestra) lista(?: de correos?)?",
    r"no me (?:escribas|escriba|escriban|escribais|envies|envie|envien|envieis|mandes|mande|manden|mandeis) mas"
    rf"(?: {_MAILS_ES})?",
    rf"(?:deja|deje|dejen|dejad) de (?:escribirme|(?:mandarme|enviarme) {_MAILS_ES})",
    rf"no (?:quiero |deseo )?(?:recibir )?mas {_MAILS_ES}",
    r"(?:deja|deje|dejen|dejad)me en paz",
)

_WISH = (
    r"(?:i (?:just )?(?:want to |wish to |would like to |need to )?|i'd like to |ich (?:mochte |moechte |will )?|"
    r"je (?:voudrais |veux |souhaite )?|quiero |quisiera |deseo )?"
)
_FROM_YOU = r"(?: from you| de vous| von euch| von ihnen)?"
_GAME = (
    r"(?: (?:about|of|for|from|uber|zu|von|de|sobre) (?:this|the|my|das|dieses|diesem|dieser|cette|ce|esta) "
    r"(?:game|match|table|spiel|partie|partida))?"
)
_EVER = (
    r"(?:,? (?:again|any ?more|any longer|ever|ever again|from now on|now|immediately|at once|sofort|jetzt|"
    r"ab sofort|maintenant|desormais|ahora|nunca mas))?"
)

_ASKED = re.compile(rf"{_WISH}(?:{'|'.join((*_ENGLISH, *_GERMAN, *_FRENCH, *_SPANISH))}){_FROM_YOU}{_GAME}{_EVER}")


def wants_no_mail(low: str) -> bool:
    """Return whether a line asks for no more mails: one as `simple` returns it, without polite words around it."""
    return _ASKED.fullmatch(low) is not None
