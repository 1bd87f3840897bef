"""The words of lines that take back or change what stands above them, in four languages.

All are in lower case and without accents, as `service.reading.tokens` prepares a line. Lists of patterns are separated
by semicolons.
"""

from __future__ import annotations


def _listed(text: str) -> frozenset[str]:
    return frozenset(text.split())


DENIALS = _listed(
    "no nope nah non nein nee ne wait stop oops whoops ups uups oups hoppla halt moment momento stopp warte "
    "wartet attends attendez attend espera espere esperad esperen don't dont not nicht pas cancel undo scrap "
    "scratch forget ignore disregard nevermind wrong mistake typo error correction korrektur falsch irrtum "
    "versehen quatsch erreur correction annule annulez oublie oubliez ignorez vergiss vergesst ignoriere "
    "ignoriert streiche streich olvida olvidalo ignora ignoralo cancela cancelalo anula anulalo correccion or "
    "oder ou o sinon sonst otherwise alternatively alternativ stattdessen instead plutot lieber rather"
)
"""The words of which a sentence of denial needs one."""

BESIDE_DENIALS = DENIALS | _listed(
    "noe oh ah ach er uh um hm hmm hmmm mm tja please bitte s'il te plait vous stp svp por favor sorry pardon perdon "
    "perdona perdone desole desolee disculpa entschuldigung verzeihung tut mir leid lo siento actually in fact "
    "doch eben en fait finalement realidad hecho de that this it all everything das dies diese es alles ca cela "
    "tout eso esto todo i me my mine ich mein meine moi mon ma mi is was ist war c'est etait fue era the a an der "
    "die den le la les el un une una uno ein eine einen hang hold on just again do doing kurz above last previous "
    "move line mail one tile cell zug zeile coup ligne jugada linea message nachricht mensaje back and und et y "
    "but aber mais pero si so also hagas mach mache fais faites ne n' never mind really maybe perhaps better "
    "besser mieux mejor vielleicht peut-etre quizas"
)
"""The words that may stand beside a denial and leave it one; `noe` alone is a name, as in `Noé`."""

LEADING = (
    "oh; ah; ach; er; uh; um; h+m+; argh; oops; whoops; o+ps; ups; uups; oups; hoppla; so; well; and; but; or; also; "
    "und; aber; et; mais; y; pero; no; nope; nah; nein; nee; non; please; bitte; sorry; so sorry; i'm sorry; pardon; "
    "perdon; perdona; desole; desolee; disculpa; entschuldigung; entschuldigt; entschuldige; tut mir leid; lo siento; "
    r"ps; p\.s\.; edit; actually; just; por favor; wait; espera; attends; attendez; warte; wartet; moment; halt; stop; "
    "yes; ja; oui; si"
)
"""What may stand in front of the words with which a correction begins."""

OPENINGS = (
    # English
    r"(?:no|nope|nah)[ ,.!-]+(?:wait|sorry|stop|not|rather|instead|better|actually|hold on|hang on|let me|let's|"
    r"make (?:it|that)|please don'?t|don'?t|i (?:mean|meant|want|wanted|would|should)|i'd (?:rather|like|"
    r"prefer))\b; "
    r"wait[ ,.!-]+(?:no|not|sorry|stop|actually|don'?t|do not|make (?:it|that)|let me|i (?:mean|meant|want|wanted|"
    r"changed|would|should|did|made)|i'd|i've|that'?s (?:wrong|not)|that was)\b; "
    r"(?:hold|hang) on(?! (?:to|tight)\b)\b; "
    r"wait a (?:minute|moment|sec|second); (?:i )?take (?:that|it|this|my move) back; "
    r"never ?mind\b(?! (?:the|about|my|me|how|if)\b); on second thoughts?\b; second thoughts?\b; correction\b; "
    r"i (?:do )?(?:(?:mean|meant|intended)(?: to (?:play|put|take|place|choose|pick|do|go|have|use|say|write|type|"
    r"make))?|wanted to (?:play|put|take|place|choose|pick|do|go|have|use|say|write|type|make)) (?:choice|tile|"
    r"cell|number|the (?:other|first|second|third|next|last|red|blue|yellow|turquoise|tile|cell|\d\w\w)|[a-z]\b|\d|"
    r"refill|resign)(?! (?:time|day|week|year|night|game)\b); i mean(?:t)?[ ,:]+(?:not|no|don'?t|instead|\d); "
    r"(?:that|this|it)(?:'s| is| was) not (?:what|the one|the move|the tile) i (?:mean|meant|want|wanted); "
    r"i (?:didn'?t|did not|don'?t|do not) (?:mean|want) (?:that|this|it|to)\b(?! (?:be|sound|keep|make you|hurt|"
    r"offend|brag|rush|boast|complain|seem|say anything|know|lose)\b); i(?:'ve| have)? changed my mind; "
    r"changed my mind; (?:i )?(?:made|was) a (?:mistake|typo)\b; "
    r"(?:scratch|scrap|strike|forget|ignore|disregard|cancel|undo|delete|discard) (?:that|this|it|my|the (?:above|"
    r"move|last|first|previous|line|mail|tile))\b; "
    r"(?:that|this|it|which|the (?:move|tile|cell|line|number|letter))(?:'s| is| was) (?:a |the )?(?:wrong|"
    r"mistake|typo|error|incorrect)\b(?! (?:time|day|week|moment|way)); "
    r"wrong (?:tile|cell|number|letter|move|one|choice|line|game|button)\b; "
    r"(?:do not|don'?t) (?:do (?:that|it|this)|play (?:it|that|this|\d)|make (?:it|that|the move|this)|"
    r"place (?:it|that)|take (?:it|that)(?! (?:personal|wrong|bad|amiss|so|too|serious|the wrong|hard))|resign|"
    r"leave (?:the game|yet)|quit|end (?:it|the game)|accept|open (?:it|the|that)|invite|send (?:it|that)|join|"
    r"refill)\b; i(?:'d| would) rather (?:not|have|take|play|put|place|go|do|keep|stay|wait|refill)\b; "
    r"rather not\b; "
    r"(?:i|we) (?:want|would like|prefer) to (?:play on|keep (?:on )?playing|go on|continue|stay in|"
    r"carry on)\b(?! \w); "
    r"actually[ ,:-]+(?:no|not|don'?t|do not|make (?:it|that)|wait|let me|let's|instead|rather|i (?:mean|meant|"
    r"want|wanted|prefer|would (?:rather|like|prefer))|i'd (?:rather|like|prefer)|i changed|please don'?t|"
    r"\d)(?!\w); make (?:it|that) (?:\d|[a-z]\b|the )|instead[ ,:]+(?:\d|take|play|put|place)\b; "
    r"oops[ ,.!-]+(?:i |wrong|that|should|not|no|my (?:mistake|bad)|make|it |typo)(?!.*\b(?:late|delay|forgot|"
    r"forget|missed)\b)"
    "; "
    # German
    r"(?:nein|nee|ne|noe)[ ,.!-]+(?:warte|wartet|moment|halt|stopp?|doch|lieber|besser|nicht|sondern|sorry|"
    r"ich (?:meine|meinte|will|wollte|mochte|moechte|nehme|spiele|lege)|bitte nicht|falsch|quatsch|mach|nimm)\b; "
    r"(?:warte|wartet|moment|halt|stopp)[ ,.!-]+(?:nein|doch|nicht|lieber|ich (?:meine|meinte|will|wollte)|falsch|"
    r"das (?:war|ist) falsch)\b; (?:doch|aber) (?:lieber|besser|nicht|nochmal|nein)\b; "
    r"(?:lieber|besser) (?:doch|nicht|\d); korrektur\b; berichtigung\b; "
    r"ich wollte (?:eigentlich |doch |naturlich |natuerlich )?(?:\d|auf ); "
    r"(?:ich )?(?:nehme|nehm|ziehe) (?:das|es|den zug|meinen zug) (?:wieder )?zur(?:u|ue)ck; "
    r"ich (?:meine|meinte|habe) (?:naturlich |natuerlich |eigentlich |doch )*(?:nicht \d|\d|den |die |wahl|"
    r"plattchen|plaettchen|kachel|feld|mich (?:vertippt|verschrieben|vertan|verklickt|geirrt)|"
    r"(?:es )?mir anders)(?! (?:ganze|letzte) (?:zeit|woche)\b); "
    r"meinte (?:naturlich |natuerlich )?(?:\d|feld|wahl|plattchen); "
    r"das (?:war|ist) (?:ein )?(?:falsch|irrtum|fehler|versehen|vertippt|nicht was ich)\b; "
    r"falsche[rsn]? (?:zug|feld|plattchen|plaettchen|kachel|zelle|zahl|nummer)\b; "
    r"(?:vergiss|vergesst|ignorier\w*|streich\w*|losch\w*|loesch\w*) (?:das|es|bitte|den|die|meine?n?)\b; "
    r"(?:mach|macht|tu|tut|spiel|spielt|leg|legt|nimm) (?:das|es|den zug) (?:bitte |doch |lieber )*nicht\b; "
    r"(?:lieber|bitte|doch) (?:bitte |doch |lieber )*nicht\b; "
    r"ich (?:will|mochte|moechte) (?:(?:doch |lieber |bitte )*(?:nicht aufgeben|nicht aussteigen|weiterspielen|"
    r"weiter spielen|weitermachen)|(?:doch|lieber|bitte) nicht)\b; (?:warte|wartet|halt|moment) mal\b; "
    r"lass (?:das|es|gut)\b; vertippt\b; verschrieben\b; vertan\b"
    "; "
    # French
    r"non[ ,.!-]+(?:attends|attendez|pas|plutot|en fait|finalement|pardon|desolee?|je (?:voulais|veux|prefere|"
    r"joue|prends|mets)|stop|ne )(?!\w); "
    r"(?:attends|attendez)[ ,.!-]+(?:non|ne|pas|je (?:voulais|veux|me suis)|en fait)\b; "
    r"je (?:voulais|veux|pensais) (?:dire|mettre|jouer|prendre|poser|ecrire)\b(?! (?:que|merci|bravo|bonjour|"
    r"plus tot|avant|hier))(?: plutot)?(?=.*(?:\d|\b[a-z]\b|case|tuile|choix|autre|remplir)); "
    r"plutot (?:non|\d); je me (?:suis trompee?|trompe)\b; je reprends (?:mon|le) coup; non[ ,.!-]+je continue; "
    r" j'ai change d'avis; "
    r"(?:c'est|c'etait|ce n'est pas) (?:une |la |le |pas )*(?:erreur|mauvais|mauvaise|faux|bon|bonne|"
    r"ce que je (?:voulais|veux))\b; mauvaise? (?:case|tuile|coup|choix|numero|lettre)\b; "
    r"(?:oublie|oubliez|annule|annulez|ignore|ignorez|efface|effacez|laisse tomber|laissez tomber)(?: (?:ca|cela|"
    r"tout|ce|le|la|mon|ma)\b|[.! ]*$); (?:ne )?(?:fais|faites|joue|jouez) (?:surtout )?pas (?:ca|cela)?\b; "
    r"(?:finalement|en fait)[ ,:]+(?:non|pas|je (?:voulais|veux|prefere|voudrais|ne veux)|plutot|\d)(?!\w); "
    r"je (?:ne )?veux (?:pas|plus) (?:abandonner|jouer ca|ca|quitter|partir)\b; "
    r"je (?:veux|voudrais|prefere) (?:continuer|rester|jouer encore)\b(?! \w); "
    r"je prefere\b(?=.*(?:\d|case|tuile|choix)); surtout pas\b"
    "; "
    # Spanish
    r"no[ ,.!-]+(?:espera|espere|mejor|perdon|perdona|sino|en realidad|quiero|queria|quise|lo hagas|hagas|juegues|"
    r"prefiero|era|es)\b; (?:espera|espere|esperad)[ ,.!-]+(?:no|mejor|que no|queria|quise|quiero|me equivoque)\b; "
    r"(?:queria|quise) (?:decir|poner|jugar|coger|tomar|escribir)\b(?! (?:que|gracias|hola|antes|mas|"
    r"felic))(?=.*(?:\d|\b[a-z]\b|casilla|ficha|opcion|otra(?! vez)|rellen)); "
    r"mejor (?:no|\d|la|el|pon|toma|coge)\b; me (?:he )?(?:equivo(?:que|cado)|confund(?:i|ido))\b; "
    r"retiro (?:lo|eso|la|mi)\b; no[ ,.!-]+sigo jugando;  "
    r"(?:he cambiado|cambie) de (?:opinion|idea)\b; (?:fue|era|es|ha sido) (?:un |una )?(?:error|equivocacion)\b; "
    r"(?:ficha|casilla|jugada|letra) equivocada\b; "
    r"(?:olvida|olvide|ignora|ignore|cancela|anula|borra)(?:lo|la)?(?: (?:eso|esto|lo|la|el|mi|todo)\b|[.! ]*$); "
    r"(?:en realidad|de hecho|al final|pensandolo bien)[ ,:]+(?:no|queria|quise|quiero|prefiero|mejor|\d)(?!\w); "
    r"pensandolo bien\b; prefiero\b(?! (?:que|este juego)); "
    r"no (?:quiero|queria|deseo) (?:abandonar|dejar|eso|irme|retirarme)\b; quiero seguir\b; seguir jugando\b"
)
"""The words with which a sentence of correction begins."""

BESIDE_MOVES = (
    r"no; nope; not; wait; oops; o+ps; whoops; sorry; meant; mean; actually; rather; instead; or; otherwise; if; "
    r"else; correction; better; prefer; make (?:it|that); don'?t; unless; can't; cannot; isn't; wasn't; mistake; "
    r"wrong; typo; nein; nee; nicht; doch; lieber; besser; oder; sonst; falls; wenn; stattdessen; statt; meine; "
    r"meinte; sondern; entschuldigung; ups; korrektur; wollte; falsch; alternativ; quatsch; edit; vertippt; "
    r"geht nicht; ansonsten; non; pas; plutot; ou; sinon; voulais; prefere; desolee?; oups; pardon; finalement; "
    r"en fait; mieux; erreur; au lieu; espera; perdon\w*; queria; quise; mejor; o; sino; si no; disculpa; "
    r"en realidad; correccion; prefiero; error; en vez; should; change; replace; alternatively; fallback; "
    r"backup; halt; trompe; confund\w*; cambia\w*; ersetz\w*; "
    r"si (?=.{0,40}(?:possible|peut|marche|libre|va pas|puede|posible|esta|vale|pas|no))"
)
"""The words that make a sentence a correction if it names a move."""

BEFORE_CELLS = (
    r"sondern; statt; lieber; besser; plut[oô]t; mejor; rather; instead of; sino; au lieu de; en vez de; "
    r"(?:nein|no|non|nope)[ ,.!-]+(?:auf|on|at|en|in|to)"
)
"""The words that make a sentence a correction if the letters of a cell follow."""

CONDITIONS = "if; falls; wenn; si; in case"
IMPOSSIBLE = "not; n't; impossible; illegal; taken; nicht; belegt; pas; occupee?; no; ocupad[ao]; imposible"
INSTEAD = (
    r"refill\w*; auff(?:u|ue)ll\w*; rempli\w*; rellen\w*; resign; pass; skip; aufgeben; abandon\w*; passe\w*; pas[ao]"
)
"""The words of a condition with another command: `if that's not possible, refill`."""
