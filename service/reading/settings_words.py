"""The words that ask for one's settings, in four languages; in lower case, without accents, between semicolons.

They name what can be set, since nobody knows what the page is called: `change my address`, `one mail a day`.
"""

from __future__ import annotations

import re

WHOLE = (
    "settings; my settings; show settings; open settings; change settings; change my settings; account settings;"
    " mail settings; notification settings; preferences; my preferences; account; my account; profile; my profile;"
    " notifications; digest; daily digest; one mail day; one mail per day; once day; only one mail day;"
    " fewer mails; less mails; less mail; fewer emails; less emails; mail me less; too many mails; too many emails;"
    " change my address; change address; change my email; change email; change my email address; new address;"
    " new email address; change email address; change my mail address; time zone; timezone; my time zone;"
    " change time zone; change my time zone; change my timezone; change name; change my name;"
    " delete my account; delete account; close my account; close account; remove my account; erase my account;"
    " delete my data; erase my data; my data; export; export my data; download my data;"
    " mails on; mail on; mails again; mail me again; start mails; start mail; resume mails; resume mail;"
    " subscribe; resubscribe; re-subscribe; subscribe again; i want mails again; i'd like mails again;"
    "einstellungen; meine einstellungen; einstellungen andern; konto; mein konto; profil; mein profil;"
    " benachrichtigungen; weniger mails; weniger e-mails; zu viele mails; sammelmail; eine mail am tag;"
    " nur eine mail am tag; adresse andern; mailadresse andern; e-mail-adresse andern; meine adresse andern;"
    " neue adresse; zeitzone; zeitzone andern; meine zeitzone; namen andern; meinen namen andern; konto loschen;"
    " mein konto loschen; account loschen; meinen account loschen; meine daten; daten loschen;"
    " meine daten loschen; daten exportieren; meine daten exportieren;"
    " mails an; mails wieder an; mail wieder an; mails wieder; wieder mails; doch wieder mails;"
    " mails wieder einschalten;"
    " mails einschalten; wieder mails bekommen; ich will wieder mails; ich will doch wieder mails;"
    " ich mochte wieder mails; ich will wieder mails bekommen; ich mochte wieder mails bekommen;"
    " ich mochte doch wieder mails; schick mir wieder mails; abonnieren; wieder abonnieren;"
    "reglages; mes reglages; parametres; mes parametres; changer reglages; preferences; mes preferences; compte;"
    " mon compte; mon profil; moins de mails; moins de messages; trop de mails; un mail par jour;"
    " un seul mail par jour; changer d'adresse; changer mon adresse; changer adresse; nouvelle adresse;"
    " fuseau horaire; mon fuseau horaire; changer de fuseau horaire; changer de nom; changer mon nom;"
    " supprimer mon compte; supprimer compte; fermer mon compte; effacer mon compte; mes donnees;"
    " effacer mes donnees; supprimer mes donnees; exporter mes donnees; s'abonner; m'abonner; reabonner;"
    " se reabonner; me reabonner; nouveau mails; je veux nouveau mails; je veux recevoir nouveau mails;"
    " je veux nouveau recevoir mails;"
    " reactiver mails; reprendre mails; activer mails;"
    "ajustes; mis ajustes; configuracion; mi configuracion; preferencias; mis preferencias; cuenta; mi cuenta;"
    " perfil; mi perfil; notificaciones; menos correos; menos mensajes; demasiados correos; un correo dia;"
    " un correo al dia; un solo correo al dia; cambiar direccion; cambiar mi direccion; cambiar de direccion;"
    " cambiar mi correo; nueva direccion; zona horaria; mi zona horaria; cambiar zona horaria;"
    " cambiar mi zona horaria; cambiar nombre; cambiar mi nombre; borrar mi cuenta; borrar cuenta;"
    " eliminar mi cuenta; cerrar mi cuenta; mis datos; borrar mis datos; eliminar mis datos;"
    " exportar mis datos; suscribirse; suscribirme; correos otra vez; quiero correos otra vez;"
    " quiero volver a recibir correos; volver a recibir correos; reactivar correos; activar correos"
)  # fmt: skip
"""Lines that ask for them on their own, without the words in `service.reading.command_words.SMALL`."""

_THING_EN = r"settings|address|e-?mails?|name|time ?zone|account|data|notifications|preferences|language|reminders"
_THING_DE = (
    r"einstellungen|adresse|mailadresse|e-mail(?:-adresse)?|namen?|zeitzone|konto|account|daten|profil|"
    r"benachrichtigungen"
)
_THING_FR = r"comptes?|adresse|e-?mail|nom|fuseau|donnees|reglages|parametres|profil|notifications"
_THING_ES = (
    r"cuenta|direccion|correo|nombre|zona horaria|huso horario|datos|ajustes|perfil|configuracion|notificaciones"
)
ACTION = (
    rf"(?:change|set|update|correct|delete|close|remove|erase|export|download|cancel) (?:my|the) "
    rf"(?:[\w-]+ ){{0,2}}(?:{_THING_EN})\b|"
    r"(?:andere?|aendere?|korrigiere?|losche?|loesche?|schliesse?|entferne?|exportiere?|aktualisiere?)"
    rf"(?:n sie|t)? (?:ich |bitte |mal )*(?:meine?n?|die|den|das) (?:[\w-]+ )?(?:{_THING_DE})\b|"
    rf"(?:meine?n?|die|den|das) (?:[\w-]+ )?(?:{_THING_DE}) (?:\w+ ){{0,3}}"
    r"(?:andern|aendern|korrigieren|loschen|loeschen|schliessen|entfernen|exportieren|aktualisieren)\b|"
    r"(?:change|modifie|corrige|supprime|ferme|efface|exporte|cloture)(?:[rsz]|nt)? (?:mon|ma|mes|le|la|les|de|d')? ?"
    rf"(?:nouvelle )?(?:{_THING_FR})\b|"
    r"(?:cambi|modific|corrij|corrig|borr|elimin|cierr|cerr|export|actualiz|actualic|modifiqu)"
    rf"(?:ar|ad|ais|an|as|o|a|e|en|es|ir) (?:mi|mis|la|el|los|de)? ?(?:nueva )?(?:{_THING_ES})\b"
)
"""What is done with something that the page has: `change my name`, also as a question, `wie lösche ich mein Konto`."""

_NEW = (
    rf"my new (?:{_THING_EN}|mail address|e-?mail address)(?: is\b| ?:)|"
    rf"meine neue (?:{_THING_DE})(?: (?:ist|lautet)\b| ?:)|"
    rf"(?:ma nouvelle|mon nouvel|mon nouveau) (?:{_THING_FR})(?: est\b| c'est\b| ?:)|"
    rf"mi nuev[oa] (?:{_THING_ES})(?: es\b| ?:)"
)
_POLITE = (
    r"(?:(?:please|kindly|bitte|veuillez|merci de|por favor|(?:can|could|would|will) you|kannst du|konnten sie|"
    r"(?:peux-tu|pouvez-vous)|(?:puedes|podrias|podeis))[ ,]+)*"
)
_WISH = re.compile(rf"{_POLITE}(?:{ACTION}|{_NEW})")


def asks_for_change(low: str) -> bool:
    """Return whether a line asks, in a sentence of its own, for something that the page does: `delete my account`."""
    return _WISH.match(low) is not None
