"""What people do so that a copy does not look like one, and what comes of it.

``SAME``: equal keys and an equal exact form; ``EQUAL_KEYS``: equal keys only, because the difference may carry
meaning (accents, notation of figures, emoji); ``PARTLY``: at least the given share of the honest keys;
``NOT_CAUGHT``: documented limits, each with its reason.
"""

from __future__ import annotations

import unicodedata
from collections import Counter

import pytest

from django_neardup.text.canonical_text import CanonicalText
from tests.text.notation import keys

HONEST = "Продам гараж металлический, цена 5000 руб."

SAME = {
    "latin twins": ("Пpoдaм гapaж мeтaллический, ценa 5000 pуб.", HONEST),
    "a word wholly of twins": ("caxap и copт, как xop", "сахар и сорт, как хор"),
    "twins in capitals": ("TOBAP HOBЫЙ, CPOK", "ТОВАР НОВЫЙ, СРОК"),
    "cyrillic twins in english": (
        "Sеlling аn оld biсуclе, grеаt cоnditiоn, kеер оr tоp",
        "Selling an old bicycle, great condition, keep or top",
    ),
    "greek twins": ("Прοдам гαраж", "Продам гараж"),
    "armenian and ipa twins": ("Selling օld ɡɑrage, a bike", "Selling old garage, a bike"),
    "code in the other script": ("свая C140.35", "свая С140.35"),
    "zero width space": ("Про\u200bдам гар\u200bаж", "Продам гараж"),
    "zero width joiners": ("Про\u200cдам г\u200dараж", "Продам гараж"),
    "word joiner": ("Про\u2060дам гар\ufeffаж", "Продам гараж"),
    "soft hyphen": ("Про\u00adдам га\u00adраж", "Продам гараж"),
    "soft hyphen as an entity": ("Про&shy;дам га&#173;раж", "Продам гараж"),
    "bidi controls": ("\u202aПродам\u202c гар\u200eаж", "Продам гараж"),
    "a word turned round": ("\u202eмадорП\u202c гараж", "Продам гараж"),
    "an override in an override": ("\u202eжараг\u202e й\u202dновы\u202c\u202c мадорП", "Продам новый гараж"),
    "an isolate in an override": ("\u202eбелый \u2066дом\u202c\u2069ый", "йыдом йылеб"),
    "an override that ends with its isolate": ("\u2067\u202eмадорП\u2069 гараж", "Продам гараж"),
    "an override that ends with its line": ("\u202eмадорП\nгараж", "Продам\nгараж"),
    "controls that close nothing": ("\u202dПродам\u202c\u202c\u2069 гараж", "Продам гараж"),
    "small capitals": ("ᴨᴩᴏдᴀʍ ᴦᴀᴩᴀж, ꜱᴇʟʟɪɴɢ ʙɪᴋᴇ", "продам гараж, selling bike"),
    "letters of Lisu, Cherokee and Coptic": ("ꓢꓰꓡꓡꓲꓠꓖ ᎪᏞᎬ, ⲤⲞⲢⲦ", "SELLING ALE, COPT"),
    "bidi isolates": ("\u2066Продам\u2069 гараж", "Продам гараж"),
    "tags block": ("Про\U000e0041\U000e0042дам гараж", "Продам гараж"),
    "variation selectors": ("Про\ufe0fдам г\U000e0100араж", "Продам гараж"),
    "invisible operators": ("Про\u2062дам\u2063 гараж", "Продам гараж"),
    "grapheme joiner": ("Про\u034fдам гараж", "Продам гараж"),
    "hangul filler": ("Про\u3164дам гар\u115fаж", "Продам гараж"),
    "halfwidth filler": ("Про\uffa0дам гар\u1160аж", "Продам гараж"),
    "fillers between words": (
        "Продам\u3164хороший\uffa0гараж\u115fметаллический",
        "Продам хороший гараж металлический",
    ),
    "braille blanks and null notes": ("Продам\u2800хороший\U0001d159гараж", "Продам хороший гараж"),
    "mongolian separator": ("Про\u180eдам гараж", "Продам гараж"),
    "decomposed letters": (unicodedata.normalize("NFD", "Мой йод, её ёлка"), "Мой йод, её ёлка"),
    "yo": ("еще елка", "ещё ёлка"),
    "fullwidth letters": ("Ｓｅｌｌｉｎｇ ｂｉｋｅ ２００", "Selling bike 200"),
    "mathematical letters": ("𝐒𝐞𝐥𝐥𝐢𝐧𝐠 𝓫𝓲𝓴𝓮 𝟐𝟎𝟎", "Selling bike 200"),
    "letters in circles": ("ⓢⓔⓛⓛⓘⓝⓖ bike", "selling bike"),
    "letters in squares": ("🅂🄴🄻🄻 🅑🅘🅚🅔 🅱🅸🅺🅴", "SELL BIKE BIKE"),
    "ligatures": ("oﬃce ﬁle", "office file"),
    "other digits": ("гараж ٥٠٠٠ и ५०", "гараж 5000 и 50"),
    "superscript": ("54 м²", "54 м2"),
    "case": ("пРоДаМ ГАРАЖ металлический, ЦЕНА 5000 РУБ", HONEST),
    "letters apart": ("п р о д а м хороший гараж", "продам хороший гараж"),
    "letters far apart": ("п   р   о   д   а   м гараж", "продам гараж"),
    "letters apart, words further apart": ("п р о д а м  х о р о ш и й  г а р а ж", "продам хороший гараж"),
    "letters apart by tabs": ("п\tр\tо\tд\tа\tм гараж", "продам гараж"),
    "letters apart by thin blanks": (
        "п\u2009р\u2009о\u2009д\u2009а\u2009м г\u200aа\u200aр\u200aа\u200aж",
        "продам гараж",
    ),
    "letters apart by braille blanks": (
        "п\u2800р\u2800о\u2800д\u2800а\u2800м г\u2800а\u2800р\u2800а\u2800ж",
        "продам гараж",
    ),
    "letters with dots": ("п.р.о.д.а.м гараж", "продам гараж"),
    "letters with hyphens": ("п-р-о-д-а-м гараж", "продам гараж"),
    "letters with stars": ("п*р*о*д*а*м гараж", "продам гараж"),
    "letters with lines": ("п_р_о_д_а_м г|а|р|а|ж", "продам гараж"),
    "inline tags in words": ("П<b>ро</b>дам гар<font color=red>а</font>ж", "Продам гараж"),
    "unknown tags in words": ("Про<x>дам га<x-y/>раж", "Продам гараж"),
    "comments in words": ("Про<!-- абв -->дам гараж", "Продам гараж"),
    "bbcode in words": ("Про[b]дам[/b] га[color=red]р[/color]аж", "Продам гараж"),
    "markdown in words": ("**Про**дам га**ра**ж", "Продам гараж"),
    "entities for letters": ("&#1055;родам г&#x430;раж", "Продам гараж"),
    "escaped twice": ("Про&amp;shy;дам гараж", "Продам гараж"),
    "words in a comment or a script": ("Продам <!-- слон --> гараж <script>слон</script>", "Продам гараж"),
    "punctuation": ("Продам!!! гараж??? (металлический) — «цена»: 5000 руб...", HONEST),
    "spaces of other kinds": ("Продам\u00a0гараж\u2009металлический,\u3000цена\t5000\u202fруб.", HONEST),
    "lines": ("Продам\r\nгараж\rметаллический,\u2028цена\x0b5000 руб.", HONEST),
    "nul and controls": ("Продам\0гараж\x07металлический, цена 5000 руб.", HONEST),
    "lone surrogates": ("Продам\ud800гараж металлический, цена 5000 руб.", HONEST),
    "zero for o": ("Пр0дам х0роший гараж", "Продам хороший гараж"),
    "hyphen and its twins": (
        "бизнес‑план, бизнес−план, бизнес－план",
        "бизнес-план, бизнес-план, бизнес-план",
    ),
}

EQUAL_KEYS = {
    "digits for letters": (
        "Прода3 3абор, до6рый 4айник, и3ба и на4ало про8ерки, 60льшой",
        "Прода3 забор, добрый чайник, изба и начало проверки, большой",
    ),
    "accents": ("Про́да̀м гара̂ж", "Продам гараж"),
    "zalgo": ("П" + "\u0316\u0330\u035b" * 40 + "родам гараж", "Продам гараж"),
    "struck through by marks": ("П\u0336р\u0336о\u0336д\u0336а\u0336м\u0336 гараж", "Продам гараж"),
    "accented latin letters": ("Sélling án öld bícycle", "Selling an old bicycle"),
    "stretched letters": ("Прооодам гараааж!!!", "Продам гараж"),
    "stretched with hyphens": ("да-а-а-а", "да"),
    "emoji and ornaments": ("🔥🔥 Продам ✅ гараж ★★★ ━━━ металлический, цена 5000 руб 👍", HONEST),
    "grouped figures": ("гараж за 1 000 000", "гараж за 1000000"),
    "phone written otherwise": ("звоните 8 903 123-45-67", "звоните +7(903)1234567"),
    "latin p for roubles": ("гараж за 5000 p.", "гараж за 5000 руб"),
    "hard sign as an apostrophe": ("об'явление", "объявление"),
    "tracking in a link": ("см. https://www.site.ru/a/?utm_source=x#top", "см. http://site.ru/a"),
}

PARTLY = {
    "filler between": ("Продам слон гараж слон металлический слон цена слон 5000 руб", HONEST, 1.0),
    "another order": ("5000 руб. цена, металлический гараж продам", HONEST, 1.0),
    "another form": ("Продаю гаражи металлические, ценой 5000 руб.", HONEST, 0.75),
    "a typo": ("Продам гаарж металлический, цена 5000 руб.", HONEST, 0.75),
}

NOT_CAUGHT = {
    "a figure that looks like no letter of a known word": ("Про4ам гараж", "Продам гараж"),
    "a figure before a word: 3 лото is another thing": ("30лото 585 пробы", "золото 585 пробы"),
    "letters apart without gaps between words": ("п р о д а м г а р а ж", "продам гараж"),
    "transliteration: another language for all we know": ("Prodam garazh", "Продам гараж"),
    "emoji inside a word: they separate words": ("Про🔥дам гараж", "Продам гараж"),
    "hidden by CSS, unless the markup is declared": (
        'Продам <i style="display:none">слон</i> гараж',
        "Продам гараж",
    ),
    "three letters apart: initials look like that": ("п р о дам гараж", "продам гараж"),
    "words of unknown twins: nothing says which script is meant": ("Yokep", "Уокер и гараж"),
    "text in a picture": ('<img alt="Продам гараж">', "Продам гараж"),
    "letters upside down": ("ɯɐɓoduU гараж", "Продам гараж"),
    "synonyms: another word is another word here": ("Реализую гараж", "Продам гараж"),
}


@pytest.mark.parametrize("name", SAME)
def test_caught(name: str) -> None:
    evasion, honest = SAME[name]
    assert evasion != honest
    assert keys(evasion) == keys(honest)
    assert CanonicalText(evasion).exact_digest == CanonicalText(honest).exact_digest


@pytest.mark.parametrize("name", EQUAL_KEYS)
def test_caught_by_the_keys(name: str) -> None:
    evasion, honest = EQUAL_KEYS[name]
    assert keys(evasion) == keys(honest)
    assert CanonicalText(evasion).exact_digest != CanonicalText(honest).exact_digest


@pytest.mark.parametrize("name", PARTLY)
def test_caught_in_part(name: str) -> None:
    evasion, honest, share = PARTLY[name]
    found, wanted = Counter(keys(evasion).split()), Counter(keys(honest).split())
    assert (found & wanted).total() >= share * wanted.total()


@pytest.mark.parametrize("name", NOT_CAUGHT)
def test_limits_are_known(name: str) -> None:
    evasion, honest = NOT_CAUGHT[name]
    assert keys(evasion) != keys(honest)


DIFFERENT = """
свая С140.35          | свая С90.30
5 кг                  | 6 кг
5 кг                  | 5 г
350×350               | 350×400
iPhone 11             | iPhone 12
т34                   | тзч
газ66                 | газбб
3 года                | згода
3этажный              | 4этажный
сталь ст3             | сталь ст4
а4                    | ач
ГОСТ 380              | ГОСТ зво
KDL-32L4000           | KDL-32M4000
работает              | не работает
С++                   | C#
1 000                 | 1 001
глава III             | глава II
$100                  | 100 руб.
8 903 123-45-67       | 8 903 123-45-68
box                   | вох
"""


@pytest.mark.parametrize("row", DIFFERENT.strip().splitlines())
def test_folding_joins_no_more_than_that(row: str) -> None:
    one, other = (part.strip() for part in row.split("|"))
    assert keys("это " + one) != keys("это " + other)
