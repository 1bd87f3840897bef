"""The words of the commands that a reply may contain, in four languages.

All are in lower case and without accents, as `service.reading.tokens` prepares a line. Spellings such as `ue` for `ü`
are listed beside the letter without dots.
"""

from __future__ import annotations

from service.reading import settings_words
from service.reading.shown_words import Verb


def phrases(text: str) -> frozenset[str]:
    """Return the phrases of a list whose items are separated by semicolons."""
    return frozenset(phrase.strip() for phrase in text.split(";") if phrase.strip())


def _listed(text: str) -> frozenset[str]:
    return frozenset(text.split())


WHOLE: dict[Verb, str] = {
    "refill": (
        "refill; re-fill; refill track; refill selection track; refill wheel; refill first; i refill; fill up; top up;"
        "auffullen; auffuellen; aufgefullt; nachfullen; nachfuellen;"
        " fulle auf; fuelle auf; full auf; fuell auf; ich fulle auf;"
        "ich fuelle auf; mondrad auffullen; mondrad auffuellen;"
        "remplir; remplis; je remplis; je remplis piste; remplissage;"
        " remplir piste; recharger; completer; remettre tuiles; reapprovisionner;"
        "rellenar; relleno; rellena; rellenar pista; reponer; repongo; recargar; recarga"
    ),
    "resign": (
        "resign; i resign; resign game; quit; i quit; quit game;"
        " give up; i give up; leave game; leave; concede; i concede;"
        "aufgeben; aufgabe; ich gebe auf; gebe auf; geb auf;"
        " ich geb auf; spiel aufgeben; partie aufgeben; partie verlassen;"
        "abandonner; abandon; j'abandonne; j'abandonne partie;"
        " abandonne; je renonce; quitter partie; abandonner partie;"
        "abandonar; abandono; me rindo; rendirse; rendirme; abandonar partida; dejar partida"
    ),
    "yes": (
        "yes; yep; yeah; yup; y; yes resign; yes i do; yes really; yes that's it;"
        " yes that's right; that's it; that's right; exactly; yes exactly; correct;"
        "yes correct; yes play it; yes do it; play it; do it; ja; jawohl; jep;"
        " ja aufgeben; ja wirklich; genau; ja genau; richtig; ja richtig; stimmt;"
        "ja stimmt; oui; ouais; oui abandonner; exact; exactement; oui exactement;"
        " c'est ca; oui c'est ca; tout a fait; si; si abandonar; exacto;"
        "si exacto; correcto; si correcto; eso es; si eso es; asi es; si claro; si asi es"
    ),
    "help": (
        "help; help me; hilfe; hilf mir; aide; aidez-moi; aide-moi;"
        " ayuda; ayudame; info; commands; befehle; commandes; comandos;"
        "sign up; sign me up; register; register me; create account; open account;"
        "inscription; s'inscrire; m'inscrire; je m'inscris; creer compte; ouvrir compte;"
        "registro; registrarse; registrarme; registrame; crear cuenta; abrir cuenta;"
        "anmelden; anmeldung; registrieren; mich anmelden; mich registrieren; konto anlegen; konto eroffnen;"
        "i want to play; i would like to play; i'd like to play; i want to join; i'd like to join; i want to sign up;"
        " i'd like to sign up; i want to register; i'd like to register; can i play; can i join; let me play;"
        "inscris-moi; inscrivez-moi; je veux jouer; je voudrais jouer; j'aimerais jouer; je veux m'inscrire;"
        " je voudrais m'inscrire; j'aimerais m'inscrire; je souhaite m'inscrire; je veux participer;"
        "quiero jugar; quisiera jugar; me gustaria jugar; me quiero registrar; quiero registrarme;"
        " quisiera registrarme; me gustaria registrarme; quiero inscribirme; inscribeme; inscribirme; inscripcion;"
        " quiero participar;"
        "ich will mitspielen; ich mochte mitspielen; ich moechte mitspielen; ich will spielen; ich mochte spielen;"
        " ich moechte spielen; meld mich an; melde mich an; ich will mich anmelden; ich mochte mich anmelden;"
        " ich moechte mich anmelden; registrier mich; registriere mich; kann ich mitspielen"
    ),
    "history": (
        "history; log; show history; verlauf; historie; bisher;"
        " spielverlauf; zugliste; historique; historial; historia;"
        "coups joues; jugadas"
    ),
    "stop": (
        "stop; stop mail; stop mails; stop mailing; unsubscribe;"
        " no more mail; no more mails; stopp; stopp mails; abbestellen;"
        "keine mails mehr; keine mail mehr; abmelden; arret; arreter;"
        " arrete; se desabonner; desabonner; plus mails; plus mail;"
        "parar; para; pare; basta; darse baja; baja; no mas correos; no mas correo"
    ),
    "mute": (
        "mute; mute talk; mute table; stumm; stummschalten; stumm schalten; silence; muet; couper messages;"
        "silenciar; silencia"
    ),
    "unmute": (
        "unmute; unmute talk; listen; horen; hoeren; laut; stumm aus;"
        " zuhoren; zuhoeren; ecouter; reactiver; parler; escuchar;"
        "reactivar; quitar silencio"
    ),
    "solo": (
        "solo; new solo; play solo; play alone; alone; new solo game;"
        " neues solo; solo spielen; allein; allein spielen; alleine;"
        "alleine spielen; solospiel; seul; seule; nouveau solo;"
        " jouer seul; jouer seule; solitaire; jouer en solo; nuevo solo;"
        "jugar solo; jugar sola; en solitario; jugar en solitario; solitario"
    ),
    "rematch": (
        "rematch; re-match; return match; yes rematch; rematch yes; again; play again; once more; one more;"
        " another game; one more game; another round; one more round; another one; let's play again;"
        " same again; let's have a rematch;"
        "revanche; ja revanche; noch einmal; nochmal; noch mal; noch eine partie; noch ein spiel; neue runde;"
        " noch eine runde; noch eine; noch eins; auf ein neues; oui revanche; encore une;"
        " une autre partie; encore une partie; on rejoue; rejouer; on remet ca;"
        "revancha; si revancha; otra mas; otra ronda; la revancha; otra vez; otra partida;"
        " jugar otra vez; jugar de nuevo"
    ),
    "status": (
        "status; state; game state; state of game; board; show board;"
        " show me board; see board; table; show table; show me table; show status;"
        "score; scores; standings; standing; position; situation;"
        " overview; picture; turn; whose turn; choices; my choices; legal moves; possible moves; options; my options;"
        "resend; send again; send it again; send table again; send picture again; send mail again; send me mail again;"
        "noch mal schicken; nochmal schicken; schick es noch mal; schick es nochmal; schick bild noch mal;"
        "renvoie; renvoie-le; renvoie mail; renvoie-moi mail; renvoie image; reenvia; reenvialo; reenviar;"
        "stand; spielstand; wie steht's; zeig; zeige; zeig mir; brett;"
        " zeig brett; spielbrett; spielfeld; zeig mir brett; tisch; lage;"
        "ubersicht; uebersicht; bild; auslage; wer ist dran; bin ich dran;"
        "etat; statut; etat partie; etat jeu; plateau; voir plateau;"
        " montre plateau; voir table; montre table; resume; a qui tour; c'est a qui;"
        "estado; estado partida; tablero; ver tablero; muestra tablero;"
        " mesa; ver mesa; marcador; puntuacion; situacion; turno; resumen"
    ),
    "games": (
        "games; my games; game list; list; list games; list of games; list my games;"
        " show games; show me games; all games; running games; current games;"
        "spiele; meine spiele; partien; meine partien; spieleliste; laufende spiele; laufende partien; alle spiele;"
        "parties; mes parties; jeux; mes jeux; liste parties; liste de parties; parties en cours; mes parties en cours;"
        "partidas; mis partidas; juegos; mis juegos; lista partidas;"
        " lista de partidas; partidas en curso; mis partidas en curso"
    ),
    "rules": (
        "rules; rule; rulebook; rule book; game rules; rules of game; show rules; show me rules; how to play;"
        "regeln; spielregeln; regel; anleitung; spielanleitung; regelwerk; regelheft;"
        "regles; regle; regles jeu; regle jeu; mode d'emploi; comment jouer;"
        "reglas; regla; reglas juego; reglamento; como jugar; instrucciones"
    ),
    "settings": settings_words.WHOLE,
    "pass": (
        "pass; i pass; i'll pass; skip; i skip; skip turn; skip me;"
        " pass turn; pass this turn; pass this time; skip this turn; no move;"
        "passen; ich passe; passe; ich muss passen; aussetzen; ich setze aus; setze aus; runde aussetzen;"
        "passer; je passe; passer tour; passer mon tour; je passe tour; je passe mon tour; sauter tour;"
        "pasar; paso; yo paso; paso turno; paso mi turno; pasar turno; pasar mi turno; saltar turno"
    ),
    "undo": (
        "undo; oops undo; undo move; undo last move; undo that; undo it;"
        " take back; take it back; take that back; take move back; take back move;"
        "take back last move; takeback; take-back; revert; cancel; cancel move; cancel last move; go back;"
        "zurucknehmen; zuruecknehmen; zug zurucknehmen; zug zuruecknehmen; zug zuruck;"
        " letzten zug zurucknehmen; nimm zug zuruck; nimm zuruck; nimm zurueck;"
        "ruckgangig; rueckgaengig; ruckgangig machen; rueckgaengig machen; zug ruckgangig machen; stornieren;"
        "annuler; annule; annulation; annuler coup; annuler mon coup; annuler dernier coup;"
        " reprendre coup; reprendre mon coup; defaire; revenir en arriere;"
        "deshacer; deshaz; deshacer jugada; deshacer mi jugada;"
        " deshacer ultima jugada; anular; anular jugada; cancelar; cancelar jugada;"
        "volver atras; retirar jugada"
    ),
}  # fmt: skip
"""Lines that are a command on their own, apart from words in `POLITE` and `SMALL`."""

BEFORE_TEXT: dict[Verb, str] = {
    "say": (
        "say; tell; tell table; tell the table; tell everybody; tell everyone; tell others; tell the others;"
        " tell the other players; say to everyone; say to everybody; say to all; say to the others; say to the table;"
        "sagen; sage; sag; sage allen; sag allen; sage den anderen; sag den anderen; sage dem tisch; sag dem tisch;"
        " sagen allen;"
        "dire; dis; dire a tous; dis a tous; dire a tout le monde; dis a tout le monde; dire aux autres;"
        " dis aux autres; dire a la table; dis a la table;"
        "decir; di; digo; decir a todos; di a todos; diles a todos; di a los demas; di a los otros; decir a los demas;"
        " decir a los otros; di a la mesa; decir a la mesa"
    ),
    "note": "note; notiz; notiere; notieren; merke; noter; nota; anotar; anota; apuntar; apunte; apunta; memo",
}
"""Words in front of the text of a message or a note."""

BEFORE_NAME: dict[Verb, str] = {
    "block": (
        "block; block player; blockieren; blockiere; blocken; sperren; sperre; spieler blockieren;"
        "bloquer; bloque; bloquer joueur; bloquer joueuse; bloquear; bloquea; bloquear jugador; bloquear jugadora"
    ),
    "unblock": (
        "unblock; unblock player; freigeben; freigebe; entsperren; entsperre; entblocken; nicht mehr blockieren;"
        "debloquer; debloque; desbloquear; desbloquea"
    ),
}
"""Words in front of the name of a player."""

BEFORE_CODE = (
    "join; join game; join table; beitreten; mitspielen; teilnehmen;"
    " rejoindre; joindre; participer; unirse; unirme; unir; entrar"
)
"""Words in front of an invitation's code."""

BEFORE_PLAYERS = (
    "new; new game; new table; new match; neu; neues spiel;"
    " neue partie; neuer tisch; nouvelle; nouveau; nouvelle partie;"
    "nouveau jeu; nouvelle table; nueva; nuevo; nueva partida; partida nueva;"
    " nuevo juego; juego nuevo; nueva mesa; mesa nueva; start; start game"
)
"""Words in front of the number of players and their addresses."""

PLAYERS = _listed(
    "player players people persons person seats seat spieler spielern "
    "spielerinnen personen leute leuten platze plaetze mitspieler"
    " joueurs joueur joueuses personnes places jugadores jugador "
    "jugadoras personas plazas asientos game match table spiel partie"
    " partida juego mesa for with and fur fuer mit und zu pour avec "
    "et a para con y e de the me mich moi mi us uns nous nosotros"
    " guests invite einladen inviter invitar spielen total insgesamt of von"
)
"""Words that may stand around a number of players and their addresses."""

COUNTS = {
    "two": 2, "three": 3, "four": 4, "zwei": 2, "zwo": 2, "drei": 3, "vier": 4, "zweit": 2, "dritt": 3, "viert": 4,
    "deux": 2, "trois": 3, "quatre": 4, "dos": 2, "tres": 3, "cuatro": 4,
}  # fmt: skip
"""Numbers of players as words."""

POLITE = (
    "please; pls; plz; hey; yo; dear all; moin; servus; na; hoi; he; coucou; buenas; buenos dias; thanks;"
    " thank you; thx; cheers; ok; okay; hi; hello; bitte; danke; vielen dank; gerne; hallo; s'il te plait;"
    "s'il vous plait; stp; svp; merci; merci beaucoup; d'accord;"
    " bonjour; salut; por favor; porfa; gracias; muchas gracias; vale;"
    "hola; :); :-); ;); ;-); :d; !"
)
"""Polite phrases that may stand before or after a command and mean nothing."""

SMALL = _listed(
    "mein meine meinen mi mis mes the a an my now then so first erst zuerst d'abord primero den die "
    "das dem der jetzt dann le la les l' un une ma mon maintenant du de des el la los las una ahora"
)
"""Small words that mean nothing in a line that is a command on its own."""
