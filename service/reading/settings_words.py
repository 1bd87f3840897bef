"""The words that ask for one's settings, in four languages; in lower case, without accents, between semicolons.

They name what can be set, since nobody knows what the page is called: `change my address`, `one mail a day`.
"""

from __future__ import annotations

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
    "einstellungen; meine einstellungen; einstellungen andern; konto; mein konto; profil; mein profil;"
    " benachrichtigungen; weniger mails; weniger e-mails; zu viele mails; sammelmail; eine mail am tag;"
    " nur eine mail am tag; adresse andern; mailadresse andern; e-mail-adresse andern; meine adresse andern;"
    " neue adresse; zeitzone; zeitzone andern; meine zeitzone; namen andern; meinen namen andern; konto loschen;"
    " mein konto loschen; account loschen; meinen account loschen; meine daten; daten loschen;"
    " meine daten loschen; daten exportieren; meine daten exportieren;"
    "reglages; mes reglages; parametres; mes parametres; changer reglages; preferences; mes preferences; compte;"
    " mon compte; mon profil; moins de mails; moins de messages; trop de mails; un mail par jour;"
    " un seul mail par jour; changer d'adresse; changer mon adresse; changer adresse; nouvelle adresse;"
    " fuseau horaire; mon fuseau horaire; changer de fuseau horaire; changer de nom; changer mon nom;"
    " supprimer mon compte; supprimer compte; fermer mon compte; effacer mon compte; mes donnees;"
    " effacer mes donnees; supprimer mes donnees; exporter mes donnees;"
    "ajustes; mis ajustes; configuracion; mi configuracion; preferencias; mis preferencias; cuenta; mi cuenta;"
    " perfil; mi perfil; notificaciones; menos correos; menos mensajes; demasiados correos; un correo dia;"
    " un correo al dia; un solo correo al dia; cambiar direccion; cambiar mi direccion; cambiar de direccion;"
    " cambiar mi correo; nueva direccion; zona horaria; mi zona horaria; cambiar zona horaria;"
    " cambiar mi zona horaria; cambiar nombre; cambiar mi nombre; borrar mi cuenta; borrar cuenta;"
    " eliminar mi cuenta; cerrar mi cuenta; mis datos; borrar mis datos; eliminar mis datos;"
    " exportar mis datos"
)  # fmt: skip
"""Lines that ask for them on their own, without the words in `service.reading.command_words.SMALL`."""
