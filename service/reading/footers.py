"""Recognize footers that mail programs and phones add to a mail, and closing words, in four languages.

Footers of phones are recognized in other languages too, as a phone speaks its owner's language.
"""

from __future__ import annotations

import re

from service.reading.attribution import plain

_FOOTER = re.compile(
    r"[\s<(\[*_]{0,4}(?:"
    r"sent (?:from|via|with|using|by) |get outlook for |get the new |sent by |from my \w|"
    r"(?:diese nachricht wurde )?(?:von|aus|mit) (?:meinem|meiner|samsung|k-9|"
    r"mobil|outlook|dem|der|yahoo|web\.de|gmx|t-online|\w+ mail).{0,80}"
    r"(?:gesendet|gesandt|verschickt|versendet)|mobil gesendet|gesendet (?:von|mit|aus|uber)|"
    r"outlook fur (?:android|ios)|"
    r"holen sie sich outlook|beziehen sie outlook|hol dir |diese nachricht wurde |"
    r"(?:get|download|obtenir|obtener|obtenha|scarica|ottieni) [\w ]{2,20} (?:for|pour|para|per) (?:android|ios)"
    r"[\s.]*(?:$|[<(\[])|"
    r"(?:outlook voor (?:android|ios)|secured by \w+(?: mail)?$)|"
    r"(?:typed|written|sent) (?:(?:with|on|by|using) (?:my |a |both )?)(?:thumbs?|phone|mobile|tablet|(?:the )?go)\b|"
    r"(?:please |pls |kindly )?(?:excuse|forgive|pardon|ignore) (?:(?:any|the|my|all) )?(?:typos|brevity|spelling)\b|"
    r"(?:von )?unterwegs (?:geschrieben|getippt|gesendet)|"
    r"envoye (?:de|depuis|a partir|avec|via|par)\b|telecharge[rz]? outlook|obtenez outlook|provenance : courrier|"
    r"enviado (?:desde|con|por|a traves|mediante|de)\b|obtener outlook|obten outlook|consigue outlook|descarga|"
    r"virus-?free|virenfrei|garanti sans virus|sans virus|libre de virus|www\.avast|avast|"
    r"(?:diese e-?mail|diese nachricht|this e-?mail|this message|cet e-?mail|ce courrier|ce message|este correo|"
    r"este e-?mail|este mensaje)\b.{0,60}"
    r"(?:virus|viren|antivirus|avast|malware)|l'absence de virus|"
    r"yahoo mail|proton ?mail|gmx|web\.de|aol|mailbox\.org|tuta\b|posteo)"
)
_PROGRAM = re.compile(
    r"iphon|ipad|ipod|android|\bios\b|outlook|galaxy|samsung|xiaomi|redmi|huawei|blackberry|windows phone|bluemail|"
    r"mail\.ru|yandex|yahoo|gmail|proton|smartphone"
)
_SENT_ELSEWHERE = (
    "enviado", "enviada", "inviato", "inviata", "verzonden", "verstuurd", "skickat", "sendt", "wysłane", "wysłano",
    "odesláno", "odoslané", "poslano", "poslané", "отправлено", "отправлена", "надіслано", "изпратено", "lähetetty",
    "gönderildi", "trimis", "elküldve", "küldve", "στάλθηκε", "εστάλη", "送信", "发自", "發自", "寄自", "傳送",
    "보냄", "전송", "نشر", "أرسل", "נשלח",
)  # fmt: skip
"""What footers call `sent` in other languages."""

_SENT = re.compile(rf"(?<![a-z])(?:{'|'.join(map(re.escape, map(plain, _SENT_ELSEWHERE)))})(?![a-z])")
_MOST_FOOTER_WORDS = 7
_DISCLAIMER = re.compile(
    r"[\s<(\[*_]{0,4}(?:"
    r"(?:this (?:e-?mail|message)|the (?:information|contents?) (?:contained )?(?:in|of) this|"
    r"diese (?:e-?mail|nachricht) (?:enthalt|kann)|ce (?:message|courriel|mail) (?:est|et|peut)|"
    r"este (?:mensaje|correo) (?:es|y|puede))\b.{0,160}"
    r"(?:confidential|vertraulich|confidentiel|confidencial|intended)|please consider the environment|"
    r"if you (?:are not the intended|have received this)|(?:falls|wenn|sollten) sie nicht der|"
    r"si vous (?:n'etes pas le|avez recu ce)|si (?:usted )?(?:no es el destinatario|ha recibido este)|"
    r"(?:confidentiality )?(?:notice|disclaimer)\b)"
)
_REGARDS = (
    r"(?:(?:with|my|our|all|very|the) )*(?:(?:kind(?:est)?|best|warm(?:est)?|many|good|friendly) )*"
    r"(?:regards|wishes|greetings)|all (?:the|my) best|best|sincerely|(?:very )?(?:sincerely|truly|faithfully) yours|"
    r"yours(?: (?:sincerely|truly|faithfully|ever))?|take care|ciao|cheers|cheerio|thanks|thank you|many thanks|thx|"
    r"(?:lots of |much |with )?love|bye(?: bye| for now)?|see (?:you|ya)(?: soon| later| then)?|so long|"
    r"ttyl|xoxo|x{2,4}|hugs|respectfully|cordially|(?:very )?warmly|rgds|br|kr|(?:till|until) soon|"
    r"(?:have a )?(?:nice|good|great|lovely) (?:day|evening|weekend|week|night)|good night|"
    r"(?:(?:viele|liebe|schone|schonste|herzliche|herzlichste|beste|freundliche|sonnige|mit|den|ganz|"
    r"lieben|schonen|herzlichen|besten|freundlichen|vielen|netten|sonnigen|einen|lieber|schoner) )*"
    r"gr(?:u|ue)(?:ss|b)(?:e|en)?|"
    r"alles (?:liebe|gute)|lg|vg|mfg|bg|hg|glg|danke|vielen dank|tschuss|tscho|tschau|herzlich(?:st)?|"
    r"bis (?:bald|dann|spater|morgen|(?:zum )?nachste[ns]? (?:woche|mal|monat|montag))|"
    r"gute nacht|(?:einen )?schone[ns]? (?:tag|abend|wochenende|woche|sonntag)(?: noch)?|hochachtungsvoll|"
    r"(?:bien )?cordialement|cdlt|cdt|bien (?:a (?:toi|vous)|cordialement|amicalement)|(?:toutes mes )?amities|"
    r"(?:bien )?amicalement|(?:grosses |gros )?(?:bises?|bisous?)|a ?\+|"
    r"a (?:(?:tres )?bientot|plus|demain|tout a l'heure|tres vite|la prochaine)|"
    r"(?:tres )?(?:bonne|belle) (?:journee|soiree|nuit|semaine|fin de journee)|bon week-end|merci(?: d'avance)?|"
    r"(?:mes |sinceres |meilleures |cordiales |avec mes )*salutations(?: distinguees)?|respectueusement|"
    r"(?:un |muchos |cordiales |atentos )*(?:cordial |afectuoso |fuerte |gran )*(?:saludos?|abrazos?)"
    r"(?: (?:muy )?(?:cordial(?:es)?|fuertes?|grandes?))?|nos vemos(?: pronto)?|"
    r"atentamente|cordialmente|(?:muchas )?gracias|(?:un )?besos?|besitos|hasta (?:luego|pronto|manana)|"
    r"que tengas un buen (?:dia|fin de semana)|buen fin de semana"
)
_CLOSING = re.compile(rf"(?:{_REGARDS})(?: (?:aus|von|from|de|desde) [\w-]+)?\W{{0,4}}$")
_GRATITUDE = re.compile(r"\b(?:thanks|thank you|thx|cheers|danke|dank|merci|gracias)\b")
_NAME = re.compile(r"(?!(?:Gott|Willkommen)\b)[^\W\d_a-z][\w'’.-]+(?:\s+[^\W\d_a-z][\w'’.-]*){0,2}[\s.!]*$")
"""A name at the end of a line; `Grüß Gott` and `Herzlich Willkommen` are greetings."""

_LONGEST_CLOSING = 60
_LONGEST_FOOTER = 200


def is_footer(line: str) -> bool:
    """Return whether a line is an automatic footer, such as `Sent from my iPhone`, or a disclaimer, however long."""
    low = plain(line)
    is_short = len(line) < _LONGEST_FOOTER and (_FOOTER.match(low) is not None or _is_sent(low))
    return is_short or _DISCLAIMER.match(low) is not None


def _is_sent(low: str) -> bool:
    """Return whether a line begins or ends with a word for `sent` and names a phone or a program."""
    words = low.split()
    if not 0 < len(words) <= _MOST_FOOTER_WORDS or _PROGRAM.search(low) is None:
        return False
    return any(_SENT.search(word) is not None for word in (words[0], words[-1]))


def is_closing(line: str) -> bool:
    """Return whether a line closes a mail, such as `Cheers,`, `Viele Grüße` or `LG Ann`."""
    if len(line) > _LONGEST_CLOSING:
        return False
    if _CLOSING.fullmatch(plain(line)) is not None:
        return True
    words = line.split()
    return any(_is_signed(" ".join(words[:count]), " ".join(words[count:])) for count in range(1, len(words)))


def _is_signed(words: str, name: str) -> bool:
    """Return whether closing words are followed by a name; `Thanks Ann` without a comma thanks Ann."""
    if _NAME.fullmatch(name) is None or _CLOSING.fullmatch(plain(words)) is None:
        return False
    return words[-1] in ",.!–—-" or _GRATITUDE.search(plain(words)) is None
