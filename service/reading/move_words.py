"""The words around a move in a reply, in four languages.

All are in lower case and without accents, as `service.reading.tokens` prepares a line. Spellings such as `ue` for `ü`
are listed beside the letter without dots.
"""

from __future__ import annotations


def _listed(text: str) -> frozenset[str]:
    return frozenset(text.split())


LEADING = _listed(
    "here goes is comes this that's it's so well sure alright right "
    "okay ok yes yep go next turn turns move moves mine answer reply"
    " play playing i'm i'd like let's let me then and the a my now for to"
    " hier ist kommt das also gut klar gern mein meine zug nachster naechster zuge antwort jetzt bin dran nun dann und"
    " voici voila c'est donc alors d'accord mon coup ma reponse je joue et puis maintenant"
    " aqui va este esta es pues bueno claro vale mi jugada turno respuesta juego y ahora entonces"
)
"""Words that introduce a move on the next line: `here is my move`."""

MOVE_AHEAD = _listed(
    "move moves turn so answer reply play choice tile here zug zuge "
    "antwort wahl also hier coup reponse choix jeu voici donc jugada turno"
    " respuesta opcion aqui pues"
)
"""Words that announce a move in a line that ends in a colon: `Move 12:`."""

TILE = _listed("tile plattchen plaettchen teil kachel stein tuile ficha loseta losetas baldosa pieza")
"""Words in front of a tile's own number."""

COLORS = _listed(
    "red blue yellow turquoise rot rote roten blau blaue blauen "
    "gelb gelbe gelben turkis turkise tuerkis rouge bleu bleue jaune"
    " rojo roja azul amarillo amarilla turquesa"
)
"""The colors. A color alone does not name a tile with certainty."""

CHOICE = _listed("choice option wahl auswahl choix opcion eleccion")
"""Words beside the number of a choice."""

NUMBER = _listed("number no nr nummer numero num n")
"""Words that may stand in front of any number."""

CELL = _listed("cell field square feld zelle platz case cellule emplacement casilla celda hueco espacio")
"""Words in front of the letters of a cell."""

TAKE = _listed(
    "i i'll i'd take play place put choose pick move taking placing "
    "my turn ich nehme nimm lege spiele setze wahle waehle mein zug"
    " je j' prends joue pose place choisis mon coup yo tomo juego coloco pongo elijo mi jugada"
    " and und et y it es la lo ihn sie le then dann puis luego please bitte the das den die el un une um"
)
"""Small words around a move that mean nothing."""

MOVING = _listed(
    "i'll i'd take play put choose pick move taking placing turn ich nehme nimm lege spiele setze wahle waehle zug"
    " prends joue pose choisis coup yo tomo juego coloco pongo elijo jugada on onto into auf nach sur dans sobre"
)
"""The words of `TAKE` and `AT` that do not occur in postal addresses."""

AT = _listed("at to on in into onto auf an nach in zu en a sur dans sobre")
"""Words that may stand between a tile and its cell."""

ORDINALS = {
    "1st": 1, "2nd": 2, "3rd": 3, "first": 1, "second": 2, "third": 3, "one": 1, "two": 2, "three": 3,
    "erste": 1, "erstes": 1, "ersten": 1, "zweite": 2, "zweites": 2, "zweiten": 2, "dritte": 3, "drittes": 3,
    "dritten": 3, "eins": 1, "zwei": 2, "drei": 3,
    "1er": 1, "1ere": 1, "2e": 2, "2eme": 2, "3e": 3, "3eme": 3, "premier": 1, "premiere": 1,
    "deuxieme": 2, "troisieme": 3, "seconde": 2, "deux": 2, "trois": 3, "primera": 1, "primero": 1, "primer": 1,
    "segunda": 2, "segundo": 2, "tercera": 3, "tercero": 3, "tercer": 3, "dos": 2, "tres": 3,
}  # fmt: skip
"""Ordinals and number words that name a choice."""
