"""The words by which a sentence names a move or denies one, in four languages; in lower case, without accents."""

from __future__ import annotations

import re

from service.reading import command_words, move_words
from service.reading.command_words import phrases


def _listed(text: str) -> frozenset[str]:
    return frozenset(text.split())


DOUBTING = _listed(
    "not no never neither nor none without except unless instead if "
    "when whether or either otherwise else cannot cant dont wont until"
    " nicht kein keine keinen keinem nie niemals ohne ausser statt stattdessen "
    "falls wenn sofern ob oder entweder sonst weder nein bevor sobald bis"
    " ne n' pas jamais aucun aucune sans sauf ni non ou soit sinon quand lorsque avant"
    " nunca jamas ninguno ninguna sin salvo tampoco o u bien sea cuando antes excepto"
)
"""Words that rule out a guess if one of them stands beside a tile or a cell. So does `si` where it means `if`."""

COLORS = {
    word: letter
    for letter, listed in {
        "b": "blue blau blaue blauen blaues bleu bleue azul",
        "r": "red rot rote roten rotes rouge rojo roja",
        "y": "yellow gelb gelbe gelben gelbes jaune amarillo amarilla",
        "t": "turquoise turkis turkise turkisen turkises tuerkis tuerkise turquesa",
    }.items()
    for word in listed.split()
}
"""The colors, with the engine's letter for each."""

TILES = move_words.TILE | _listed(
    "tiles piece moon moons stone card disc plattchens plaettchens "
    "steinchen mond scheibe pion lune piece jeton tuiles luna azulejo"
)
"""Words for a tile."""

CELLS = move_words.CELL | _listed(
    "spot space location slot position zellen felder stelle casillas posicion lugar endroit position"
)
"""Words for a cell."""

PLACING = move_words.TAKE - command_words.SMALL | _listed(
    "takes use using put puts set setting lay lays go going goes grab "
    "want wants like would love select get add drop stick moving placed"
    " playing choosing chosen decided think guess maybe perhaps probably pretty again well then ahead me for with that"
    " nehm nehmen lege legen leg setz setzen spiel spielen wahlen waehlen waehl "
    "packe pack tu stelle stell mocht moechte mochte gern gerne hatte haette will"
    " wurde wuerde kommt soll auf's aufs wohl vielleicht mal dort dahin hin dazu mit fur fuer"
    " prendre prend prenez pose poser posez mets mettre met mettez place "
    "placer jouer choisir choisi veux voudrais aimerais vais peut-etre"
    " avec pour moi"
    " tomar coge cojo coger poner pon pone colocar coloca jugar "
    "elegir elige quiero quisiera gustaria voy quizas para con mi"
)
"""Words for placing a tile, and small words that stand around them."""

POLITE = frozenset(word for phrase in phrases(command_words.POLITE) for word in phrase.split())
"""The single words of polite phrases."""

AGREEING = POLITE | _listed(
    "yes yep yeah please with great pleasure gladly sure of course absolutely "
    "definitely certainly happily i i'd i'll i'm am will would do love like want"
    " wanted wish happy glad to in let's let us play playing join joining you "
    "it that that's this is one what meant mean right correct exactly count me go"
    " ahead fine good perfect very much so thanks thank for the invitation inviting asking looking forward game move"
    " ja sehr gern gerne klar naturlich natuerlich sicher auf jeden fall "
    "unbedingt ich bin dabei mache mach mit das den so meine meinte meint war ist"
    " gemeint mochte moechte will wollte genau richtig spiele spielen spiel wir "
    "lass uns zug freue freut mich mir darauf einladung fur fuer die dank vielen"
    " oui ouais avec plaisir grand joie volontiers bien sur c'est ca cela celui-la "
    "celle-la celui celle la je j'accepte j'en veux voudrais voulais vais joue"
    " jouer jouons carrement evidemment d'accord parfait tout a fait partant "
    "partante suis dire ce que coup merci beaucoup pour l'invitation invitation"
    " si con mucho gusto claro que por supuesto desde luego encantado encantada "
    "me apunto eso es esa ese juega juego jugar quiero queria decir acepto perfecto"
    " genial dale muchas gracias la jugada invitacion partida encantaria gustaria"
    " confirm confirmed really totally completely and wirklich leider ganz bestatige bestaetige und"
    " vraiment certain certaine sure confirme confirmer et"
    " estoy seguro segura confirmo confirmado totalmente de verdad y"
    " lets hell super doch finalement helas alas unfortunately malheureusement desgraciadamente lamentablemente"
)
"""Words that may follow `yes` without adding anything: `yes, with pleasure`."""

PLAYING = _listed(
    "play playing join joining in spielen spiele mitspielen dabei jouer joue jouons partant partante jugar juego juega"
    " apunto"
)
"""Words that may follow `yes` and say that somebody plays, or plays on."""

DECIDING = phrases(
    "sure; gladly; i'd love; would love; love to; absolutely; definitely; certainly; happily; of course; "
    "pleasure; accept; accepted; deal; ok; okay; count me in; i'm in; i am in; play; playing; join; joining; go "
    "ahead; looking forward; perfect; gern; gerne; klar; naturlich; natuerlich; sicher; unbedingt; dabei; "
    "einverstanden; angenommen; nehme; mache; mach; freue mich; spiele; spielen; mitspielen; "
    "volontiers; plaisir; avec joie; "
    "bien sur; d'accord; carrement; evidemment; partant; partante; j'accepte; j'en suis; jouer; jouons; joue; "
    "parfait; gusto; claro; por supuesto; desde luego; encantado; encantada; apunto; acepto; vale; dale; "
    "encantaria; jugar; juego; perfecto; "
    "yes; yep; yeah; jup; ja; jep; oui; ouais; passt; in ordnung; geht klar; ca marche; de acuerdo; bueno; venga"
)
"""Phrases that agree by themselves."""

REFILLING = re.compile(
    r"\b(?:re-?fill\w*|fill(?:ing)? (?:it |the \w+ |up)|top(?:ping)? up|(?:auf|nach)(?:zu)?(?:ge)?f(?:u|ue)ll\w*|"
    r"f(?:u|ue)ll(?:e|en|t)?\b.{1,40}\b(?:auf|nach)\b|rempli\w*|rechargez?|recharger|reapprovisionn\w*|rellen\w*|repon\w*|"
    r"recarg\w*)"
)
"""Words that ask for a refill."""

DECLINING = _listed("no nope nah nein nee non")
"""Words that decline by themselves."""

REFUSING = phrases(
    "can't; cannot; no time; not this time; rather not; count me out; without me; not interested; keine zeit; "
    "keine lust; kein interesse; kann nicht; geht nicht; diesmal nicht; lieber nicht; ohne mich; pas cette fois; "
    "pas le temps; pas envie; pas possible; peux pas; plutot pas; sans moi; pas interesse; pas interessee; "
    "no way; don't have time; don't have the time; kann leider nicht; "
    "esta vez no; sin tiempo; no puedo; mejor no; sin mi; no me interesa; imposible"
)
"""Phrases that decline by themselves."""

BESIDE_NO = POLITE | _listed(
    "sorry but this time now i i'm afraid have the for invitation to play today not very much at moment right"
    " unfortunately aber leider nicht jetzt ich habe dieses mal heute tut mir leid lieber mais desole"
    " desolee pas maintenant cette fois je ne peux n'ai temps le de pardon aujourd'hui pero lo siento esta"
    " vez ahora tengo tiempo puedo quiero jugar hoy"
    " hell well oh en ce"
)
"""Words that may stand beside a no without taking it back: `sorry, no time`."""

ONE = _listed("one eins two deux dos zwei three trois tres drei")
"""Number words that may count, or stand for something named before: `the blue one`."""

BEFORE_ONE = _listed("the this that last left right middle same first second third")
"""Words in front of `one` that make it a pronoun."""
