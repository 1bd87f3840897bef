"""Recognize questions about a game in four languages: whose turn it is, who is ahead, what the rules are.

They are asked of the service. None of them is a message to the table, whatever it begins with: `Tell me, whose turn is
it?`
"""

from __future__ import annotations

import re

from service.reading import settings_words
from service.reading.commands import AccountSettings, Command, Games, Help, History, Pass, Rules, Status, Undo
from service.reading.tokens import simple

_LONGEST, _LONGEST_UNMARKED = 160, 80

_ASKS_US = re.compile(
    r"(?:(?:please |bitte |s'il (?:te|vous) plait,? |por favor,? )?(?:tell|say|show)(?: me| us)\b|"
    r"(?:tell|say|hey|so|and|but|ok|okay),|"
    r"(?:can|could|would|will) (?:you|someone|anybody) (?:please )?(?:tell|say|show)(?: me| us)?\b|do you know|"
    r"i(?:'d| would| want)? ?(?:like |want )?to know|"
    r"(?:please )?remind (?:me|us) (?:of |about )?|i (?:wonder|was wondering)|wondering|any idea|"
    r"(?:sag|sage|sagt|sagen sie|zeig|zeige)(?: mir| uns| mal|"
    r" doch mal| mir mal| mir bitte| bitte)+\b|(?:sag|sage|sagt),|"
    r"(?:kannst|konntest|koenntest|kann|konnen|koennen) (?:du|sie|"
    r"jemand) (?:mir |uns )?(?:bitte )?(?:mal )?|weisst du|wisst ihr|"
    r"ich (?:mochte|moechte|will|wurde|wuerde)(?: gern| gerne)? wissen|ich frage mich|"
    r"(?:dis|dites|montre|montrez)(?:[- ](?:moi|nous|donc))+\b|(?:dis|dites),|"
    r"(?:peux|pouvez|pourrais|pourriez)[- ](?:tu|vous) (?:me |nous )?(?:dire|montrer)|"
    r"(?:tu sais|sais[- ]tu|savez[- ]vous)|"
    r"je (?:voudrais|veux|aimerais) savoir|je me demande|"
    r"(?:dime|digame|decidme|dinos|diganos|muestrame|ensename)\b|(?:di|decid),|"
    r"(?:puedes|podrias|puede|podria|me puedes|me podrias) (?:decirme|"
    r"decirnos|decir|mostrarme|ensenarme)|(?:sabes|sabe|sabeis)\b|"
    r"(?:quiero|quisiera|me gustaria) saber|me pregunto)[ ,:;.!-]*"
)
"""The opening words of somebody who wants to be told something."""

_WISHES = re.compile(
    r"(?:please |bitte |por favor,? )?(?:(?:can|could|may|would) (?:you|i|we) (?:please )?|"
    r"i(?:'d| would) like to |i (?:want|wish|need|have) (?:to (?:see |know |read )?)?|let me |let's |"
    r"ich (?:mochte|moechte|will|wurde|wuerde|muss|mag)(?: gerne?)? |(?:kann|konnte|darf) ich |lass mich |"
    r"je (?:voudrais|veux|souhaite|dois|vais) |(?:puis-je|peux-tu|est-ce que je peux|laisse-moi) |"
    r"(?:quiero|quisiera|me gustaria|deseo|voy a|tengo que|puedo|puedes) )"
)
"""The opening words of a request."""

_TELLS = re.compile(r"(?:say|tell|note|sagen|sage|sag|dire|dis|decir|di|digo|notiz|noter|anotar|memo)\b")
"""The opening words of a message to the table, or of a note."""

_TOPICS: tuple[tuple[Command, str], ...] = (
    (Undo(), (
        r"can (?:i|we) (?:please )?(?:undo|revert|take (?:it|that|this|my|the|back)\b.*)|"
        r"undo (?:my|the|a|that) .{0,20}(?:move|turn)|take (?:my |the |that )?(?:last )?(?:move |turn )?back|"
        r"(?:kann|konnte|darf) (?:ich|man) .{0,40}(?:zurucknehmen|zuruecknehmen|ruckgangig|rueckgaengig|zuruckziehen)|"
        r"(?:puis-je|peut-on|je peux|est-ce que je peux|on peut) .{0,30}(?:annuler|reprendre|revenir)|"
        r"annuler (?:mon|le|ce) .{0,12}coup|"
        r"(?:puedo|se puede|podria) .{0,30}(?:deshacer|anular|retirar|volver atras)"
    )),
    (Pass(), (
        r"(?:can|may|could) (?:i|we|one) (?:please |just )?(?:pass|skip)|"
        r"(?:kann|darf|konnte) (?:ich|man) .{0,30}(?:passen|aussetzen)|"
        r"(?:puis-je|peut-on|je peux|est-ce que je peux|on peut) .{0,20}(?:passer|sauter)|"
        r"(?:puedo|se puede|podria) .{0,20}(?:pasar|saltar)"
    )),
    (Games(), (
        r"(?:which|what|list|show|all|how many)(?: of| me)?(?: all)?(?: my| the)? (?:running |current |open )?games|"
        r"(?:my|our) (?:other |running |current )?games|games am i|"
        r"(?:welche|meine|alle|wie viele|in welchen) (?:laufenden? |anderen )?(?:spiele|spielen|partien)\b|"
        r"(?:quelles|mes|toutes mes|combien de) (?:sont (?:mes )?)?(?:autres )?(?:parties|jeux)\b|"
        r"(?:que|cuales|mis|todas mis|cuantas|en que) (?:son (?:mis )?)?(?:otras )?(?:partidas|juegos)\b"
    )),
    (Rules(), (
        r"\brules?\b|how (?:do|does|can) (?:i|you|we|one|the game|this game|it|this) (?:play|work|go)\b|"
        r"how (?:is|to) (?:it |this |the game )?play(?:ed)?\b|"
        r"\b(?:spiel)?regeln?\b|wie (?:geht|funktioniert|spielt) (?:das|dieses|man)(?: spiel)?|"
        r"\bregles?\b|comment (?:on joue|jouer|joue-t-on|ca marche|marche)|"
        r"\breglas?\b|como (?:se juega|funciona|jugar)"
    )),
    (AccountSettings(), (
        rf"{settings_words.ACTION}|"
        r"(?:where (?:are|is) (?:my|the)|what (?:are|is) my) (?:settings|preferences|account)|"
        r"(?:get|have|receive) (?:fewer|less) (?:e-?)?mails?|what (?:do|does) (?:you|it) (?:know|store) about me|"
        r"wo (?:sind|finde ich) (?:meine|die) einstellungen|ou (?:sont|trouver) (?:mes|les) (?:reglages|parametres)|"
        r"donde estan (?:mis|los) ajustes"
    )),
    (Help(), (
        r"(?:what (?:can|could|do|should|may|must) i (?:write|say|type|answer|reply|do|send)|"
        r"how (?:can|could|do|should|may|must) i (?:\w+))\b|"
        r"what commands|how do(?:es)? (?:this|it) work by mail|"
        r"was (?:kann|muss|soll|darf) ich (?:\w+ )?(?:schreiben|antworten|tun|machen|eingeben)|"
        r"wie (?:ziehe|antworte|spiele|fulle|fuelle|lege|nehme) ich|wie mache ich|"
        r"(?:que|qu'est-ce que) (?:puis-je|dois-je|je (?:peux|dois)) (?:ecrire|faire|repondre|dire)|"
        r"comment (?:(?:puis-je|dois-je|est-ce que je|je) )?(?:repond\w*|pose\w*|prend\w*|rempli\w*)|"
        r"que (?:puedo|debo|tengo que) (?:escribir|hacer|responder|decir)|"
        r"como (?:respondo|muevo|coloco|tomo|relleno)"
    )),
    (History(), (
        r"what (?:has |have |just )?(?:happened|was played)|"
        r"what did (?:\w+ ){1,3}(?:do|play|take|move)|which moves (?:were|did|have|has)|last move|"
        r"was (?:ist|war) (?:bisher |zuletzt |denn )?(?:passiert|geschehen|gespielt)|"
        r"was hat .{1,30} (?:gespielt|gemacht|genommen|gelegt)|letzte[nr]? zug|"
        r"que s'est-il passe|qu'est-ce qui s'est passe|qu'a (?:fait|joue)|qu'est-ce qu'.{1,30} a joue|dernier coup|"
        r"que (?:ha pasado|paso|ocurrio|hizo|jugo|ha jugado)|ultima jugada"
    )),
    (Status(), (
        r"\bdeadline\b|\b(?:until|till|by) when\b|\bbis wann\b|\bwann lauft .{0,30} ab\b|\bfrist\b|"
        r"jusqu'a quand|avant quand|date limite|\bdelai\b|\bhasta cuando\b|fecha limite|\bplazo\b|"
        r"\b(?:whose|who'?s|who is|who has|who|when'?s|when is|when will|when|is|isn't|am|are|"
        r"did) (?:[\w']+ ){0,4}(?:turn|next|up|on move|to move|to play|move|moves|play|plays|go|goes|"
        r"now|first|last|winning|leading|losing|ahead|behind|in the lead|lead)\b|my turn\b|"
        r"\bwho(?:'?s| is| has| are)?\b.{0,20}\b(?:win|won|wins|lead|leads|lose|loses)\b|"
        r"\bwhat(?:'?s| is| are) (?:[\w']+ ){0,3}(?:score|scores|state|status|standings?|situation|position|board|"
        r"table|choices|options|tiles)|"
        r"what(?:'?s| is) (?:going on|up)|how (?:are we|am i|is (?:it|the game|everybody|everyone)|does it|"
        r"do we|do i|do things|are things) .{0,12}(?:doing|going|stand|look|looking)?|where (?:do|are) we|"
        r"how many (?:[\w']+ ){0,2}(?:discs?|tiles|goals|moons|points|cells)|how far|(?:what does|"
        r"how does) .{0,20}(?:board|table|display) look|(?:show|see|picture of) .{0,12}(?:board|table|display)|"
        r"(?:did|have|has) (?:you|my) .{0,20}(?:get|got|arrive|arrived|move|answer|mail)|"
        r"(?:did|has|have) (?:[\w']+ ){1,3}(?:move|moved|play|played|gone)\b|"
        r"\bwho(?:m| are|'re| do| am)? (?:are |do |am )?(?:we|i) wait|"
        r"how(?:'?s| is) (?:the|our|this|my) (?:game|table|match)|"
        r"(?:what|which) (?:tiles|choices|moves|options) (?:are|do|can)|what are .{0,16}moves|"
        r"how (?:much time|long) (?:do|does|have|has|is|will) (?:[\w']+ ){0,3}(?:left|got|have)\b|"
        r"wie (?:viel zeit|lange) (?:habe|hab|haben|bleibt|bleiben)\b|"
        r"combien de temps (?:me|nous|il|ai-je|j'ai)|cuanto tiempo (?:me|nos|le|tengo|tenemos|queda)|"
        r"welche zuge (?:sind|kann|darf|habe)|was sind .{0,16}zuge|quels (?:coups sont|sont (?:mes|les) coups)|"
        r"que jugadas (?:son|puedo|hay|tengo)|cuales son mis jugadas|when (?:is|does|will) (?:the|this|our) game|"
        r"\b(?:fuhre|fuehre|gewinne|verliere) ich\b|auf wen warte|was liegt (?:aus|da)\b|"
        r"was sind meine|\bist \w+ (?:schon |noch |wieder )*dran\b|"
        r"\bje (?:gagne|mene|perds)\b|\b(?:qui attend|on attend qui)|"
        r"\bou on en est|c'est a (?:moi|nous)\b|c'est a (?:toi|vous)\b.*\?|"
        r"\bvoy (?:ganando|perdiendo|primer[oa])|\ba quien (?:esperamos|se espera)|"
        r"\bwer (?:ist|kommt|muss|darf|spielt|zieht|macht|hat|war|fuhrt|fuehrt|gewinnt|verliert|liegt|steht)\b|"
        r"\bwer (?:\w+ ){0,2}(?:dran|am zug|nachste[rs]?|vorn\w*|fuhrt|fuehrt|gewinnt)\b|"
        r"\b(?:ob|wann) ich\b|\bbin ich\b|\bwann (?:bin|komme|darf|muss|kann|ist)\b|wessen|"
        r"\bich bin (?:jetzt |also )?(?:dran|am zug)|\bhat \w+ (?:\w+ ){0,2}(?:gezogen|gespielt|gelegt)|"
        r"was (?:kann|darf) ich (?:\w+ )?(?:nehmen|legen|ziehen)|"
        r"(?:est-ce que )?\b\w+ a (?:deja )?(?:joue|pose|pris)|\bque puis-je (?:prendre|poser|jouer)|"
        r"\bha (?:jugado|movido|colocado)|que puedo (?:tomar|coger|colocar|jugar)|"
        r"(?:what|which)(?: tiles?| choices?)? (?:can|could|may|do) i (?:take|have|place|choose|pick|move)|"
        r"(?:muss|soll|darf) ich .{0,20}(?:ziehen|spielen|dran)|an der reihe|"
        r"\b(?:wie steht|wie ist der stand|spielstand|zwischenstand)|wie (?:lauft|laeuft) |"
        r"wie viele .{0,12}(?:scheiben|plattchen|plaettchen|ziele|punkte)|wie sieht .{0,24} aus|(?:ist|war) mein zug|"
        r"\ba qui (?:est-ce|le tour|de jouer|c'est|la main|est le tour|est|revient)|"
        r"(?:c'est|est-ce) (?:que c'est )?(?:mon tour|a moi|a qui)|\bquand .{0,20}(?:tour|moi|jouer|joue)|"
        r"\bqui (?:gagne|mene|joue|est|doit|va|perd|a)\b|ou en (?:est|sommes|suis)|quel(?:le)? est (?:le score|"
        r"l'etat|la situation|la position)|combien .{0,16}(?:jetons|disques|tuiles|objectifs|points)|"
        r"(?:montre|voir) .{0,16}(?:plateau|table)|a mon tour|mon tour\b|"
        r"\b(?:a quien|de quien|quien|quienes) (?:le |es |va |esta |gana|ganando|juega|mueve|sigue|lleva|tiene|pierde)|"
        r"\b(?:me|te|le) toca\b|\bcuando .{0,16}(?:toca|turno|juego|muevo)|es mi turno|"
        r"como (?:va|vamos|van|esta|estamos|voy)\b|cual es (?:el|la) (?:marcador|estado|puntuacion|situacion)|"
        r"cuant[oa]s .{0,16}(?:discos|fichas|losetas|puntos|objetivos)|"
        r"(?:ver|muestra) .{0,12}(?:tablero|mesa)|donde estamos|que opciones"
    )),
)  # fmt: skip
_MATCHES = tuple((command, re.compile(pattern)) for command, pattern in _TOPICS)

_OPENS = re.compile(
    r"(?:whose|who|who'?s|whos|whats|whens|hows|when|what|which|how|where|is it|am i|can i|"
    r"may i|did|do i|are we|wer|wann|was|welche|wie|wessen|bin ich|ist|kann|darf|muss|"
    r"qui|quand|que|qu'|quel|quelle|quelles|comment|combien|ou en|a qui|c'est a|"
    r"est-ce|puis-je|quien|a quien|de quien|cuando|cual|cuales|como|cuant|"
    r"me toca|es mi|puedo)\b"
)


def question(text: str) -> Command | None:
    """Return the inquiry that a line makes about the table or the game, or None if it makes none that is known.

    The line must be as `tidy` returns it.
    """
    if len(text) > _LONGEST:
        return None
    low = simple(text).lstrip("¡¿ ").strip()
    bare = low
    while found := _ASKS_US.match(bare):
        bare = bare[found.end() :].lstrip("¿¡ ")
    is_asked = bare != low
    if not is_asked and _TELLS.match(low):
        return None
    if settings_words.asks_for_change(bare):
        return AccountSettings()
    marked = low.rstrip(" .!)").endswith("?") or text.lstrip(" -*•.,").startswith("¿")
    # A question without its mark is short. The headings of our own mails are in capitals.
    if not (is_asked or marked or (_OPENS.match(bare) and len(text) <= _LONGEST_UNMARKED and not text.isupper())):
        return None
    return next((command for command, pattern in _MATCHES if pattern.search(bare)), None)


def wished(text: str) -> str | None:
    """Return the words after the opening of a request, or None if the line has no such opening.

    For `Can you show me the board?` that is `the board`. The line must be as `tidy` returns it.
    """
    low = simple(text).lstrip("¡¿ ")
    found = _ASKS_US.match(low) or _WISHES.match(low)
    if found is None or len(text) > _LONGEST or len(low) != len(text.lstrip("¡¿ ")):
        return None
    return low[found.end() :].strip(" ?!.,¿")


def asks_us(text: str) -> bool:
    """Return whether a line begins with a request to be told something (`tell me`), so it is no message."""
    return _ASKS_US.match(simple(text).lstrip("¡¿ ")) is not None
