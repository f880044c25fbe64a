"""The texts of a report: English here, in other languages through a function that translates them.

``gettext_noop`` and ``pgettext`` mark texts for translation, like Django's functions of the same names. They
return the text unchanged.
"""

from __future__ import annotations

import gettext
from pathlib import Path
from typing import Protocol

LOCALE_PATH = Path(__file__).parent.parent / "locale"


class Translate(Protocol):
    """A translation of a text. The context distinguishes it from other texts with the same letters."""

    def __call__(self, text: str, context: str = "") -> str: ...


def leave_untranslated(text: str, context: str = "") -> str:
    """Return the text unchanged."""
    return text


def environment_translation() -> tuple[Translate, str]:
    """Return the translation for the language of the environment, and the code of that language.

    The variables are LANGUAGE, LC_ALL, LC_MESSAGES and LANG. If the package lacks their language, it is
    English.
    """
    translations = gettext.translation("django", LOCALE_PATH, fallback=True)

    def translate(text: str, context: str = "") -> str:
        return translations.pgettext(context, text) if context else translations.gettext(text)

    return translate, translations.info().get("language", "en")


def gettext_noop(text: str) -> str:
    return text


def pgettext(context: str, text: str) -> str:
    return text


DIFFERENCE_CONTEXT = "differences"
"""The context of the classes of differences."""
COMPARISON_CONTEXT = "comparison"
"""The context of short words that mean other things elsewhere."""
# `pgettext` takes the context as a literal, because makemessages does not evaluate constants.
DECIMAL_SEPARATOR = pgettext("comparison", ".")
"""The separator between a whole number and its decimals."""

VERDICT_SIGNS = {"duplicate": "=", "variant": "≠", "contained": "⊃", "related": "≈", "none": "·"}
VERDICT_LABELS = {
    "duplicate": gettext_noop("duplicate"),
    "variant": gettext_noop("variant"),
    "contained": gettext_noop("contained"),
    "related": gettext_noop("related"),
    "none": pgettext("comparison", "none"),
}
VERDICT_SENTENCES = {
    "duplicate": gettext_noop("the same item, and the same text except for small edits"),
    "variant": gettext_noop("the texts are similar, but describe two items"),
    "contained": gettext_noop("one text contains most of the other"),
    "related": gettext_noop("the texts have something in common"),
    "none": gettext_noop("the texts have too little in common"),
}
DOUBT_SENTENCES = {
    "variant": gettext_noop("the texts are similar; they may describe two items"),
    "related": gettext_noop("the texts are similar; they may describe the same item"),
}
"""Sentences for verdicts that are in doubt."""
CERTAINTY_LABELS = {"sure": pgettext("certainty", "sure"), "maybe": pgettext("certainty", "maybe")}
CERTAINTY_CONTEXT = "certainty"
RULE_REASONS = {
    "sign": (gettext_noop("another sign at one word"), "+5 → −5"),
    "role swap": (gettext_noop("the same things the other way round"), "Омск – Тверь → Тверь – Омск"),
    "accent": (gettext_noop("the same letters with other accents"), "dưa → dừa"),
    "person": (gettext_noop("a man's name against a woman's"), "Морозов → Морозова"),
    "part": (gettext_noop("another part of one work"), "часть I → часть II"),
    "head": (gettext_noop("another title above the same text"), "Аналитик → Старший аналитик"),
    "replaced item": (gettext_noop("the item has another name"), "диван → комод"),
    "price is the item": (gettext_noop("the sum is what is offered"), "монета 5 рублей → монета 1 рубль"),
    "contact is the item": (gettext_noop("the address is what is offered"), "домен a.ru → домен b.ru"),
    "name is the item": (
        gettext_noop("the given name is what is offered"),
        "наклейка «Маша» → наклейка «Ваня»",
    ),
    "figure": (gettext_noop("another number, measure or code"), "С140.35 → С90.30"),
    "unit": (gettext_noop("the same number in another unit"), "20 л → 20 кг"),
    "deal": (gettext_noop("another kind of deal"), "отдам → возьму"),
    "antonym": (gettext_noop("the opposite meaning"), "вырос → упал"),
    "function word": (gettext_noop("a small word reverses the condition"), "до 7 лет → от 7 лет"),
    "negation": (gettext_noop("one text says “not”"), "рабочий → не рабочий"),
    "letter": (gettext_noop("another letter of a size or part"), "сторона А → сторона Б"),
    "glyphs": (gettext_noop("other characters in one place"), "売 → 買"),
    "replaced word": (gettext_noop("another word in one place"), "диспетчер → механик"),
    "inserted condition": (gettext_noop("one text adds a condition of the item"), "двери → двери б/у"),
    "inserted qualifier": (
        gettext_noop("one text adds a word to the item's name"),
        "iPhone 13 → iPhone 13 Pro",
    ),
    "block": (gettext_noop("another item in the same frame"), "садовый шланг → лопата для снега"),
}
"""The reason of each rule of the judge, and an example of it."""
CONTACT_LABELS = {
    "tel:": gettext_noop("phone"),
    "mailto:": gettext_noop("e-mail"),
    "url:": gettext_noop("link"),
    "@": gettext_noop("handle"),
    "": gettext_noop("other contact"),
}
"""Labels of contacts by the beginning of their canonical form. The first that fits counts."""
EXACT_SENTENCE = gettext_noop("the same words in the same order")
DIFFERENCE_LABELS = {
    "code": pgettext("differences", "code"),
    "number": pgettext("differences", "number"),
    "measure": pgettext("differences", "measure"),
    "name": pgettext("differences", "word"),
    "latin": pgettext("differences", "word"),
    "sign": pgettext("differences", "sign"),
    "deal": pgettext("differences", "kind of deal"),
    "role": pgettext("differences", "role"),
    "opposite": pgettext("differences", "opposite"),
    "negation": pgettext("differences", "negation"),
    "price": pgettext("differences", "price"),
    "date": pgettext("differences", "date"),
    "contact": pgettext("differences", "contact"),
    "word": pgettext("differences", "other words"),
}
ONE_SIDE_LABELS = {"A": pgettext("differences", "only in A"), "B": pgettext("differences", "only in B")}
IDENTITY_LABEL = pgettext("differences", "identity")

NOTE_TEXTS = {
    "scope": gettext_noop("They are in different scopes and are never compared."),
    "partners": gettext_noop("These two models are not compared with each other (compare_with)."),
    "profile": gettext_noop("The two models have different profiles and are never compared."),
    "short": gettext_noop("%(side)s has too few words to be compared (min_words)."),
    "too_long": gettext_noop("%(side)s is longer than 1 MiB, or than 200,000 words: it is not compared."),
    "identity": gettext_noop("The identity values determine the verdict. The texts do not count."),
    "excluded": gettext_noop("%(side)s is not compared: the adapter's compared() excludes it."),
    "databases": gettext_noop("They are in different databases and are never compared."),
    "same": gettext_noop("A and B are the same object."),
}
KEY_KIND_LABELS = {
    "passages": gettext_noop("passages %(count)s"),
    "pairs": gettext_noop("pairs of words %(count)s"),
    "words": gettext_noop("the set of words"),
    "exact": gettext_noop("the exact text"),
    "identity": gettext_noop("identity"),
}
HEADINGS = {
    "differs": gettext_noop("Differences"),
    "decides": gettext_noop("decisive: another item"),
    "maybe": gettext_noop("may be decisive: perhaps another item"),
    "kept apart": gettext_noop("keeps them out of one group"),
    "rule": gettext_noop("%(reason)s, as in %(example)s"),
    "idle": gettext_noop("not decisive"),
    "nothing": gettext_noop("nothing"),
    "order": gettext_noop("only the order of the words, or letters in them"),
    "texts": gettext_noop("The texts"),
    "passages": gettext_noop("Shared passages"),
    "held": gettext_noop("Found in the texts"),
    "contacts": gettext_noop("contacts"),
    "names": gettext_noop("names"),
    "codes": gettext_noop("codes"),
    "algorithms": gettext_noop("By every algorithm"),
    "algorithm": gettext_noop("algorithm"),
    "score": gettext_noop("score"),
    "verdict": gettext_noop("verdict"),
    "keys": gettext_noop("equal keys"),
    "legend": gettext_noop("Legend"),
    "shared": gettext_noop("in both texts"),
    "both": gettext_noop("in both"),
    "words": gettext_noop("words: %(count)s"),
    "rest": gettext_noop("not shown: %(count)s"),
    "by": gettext_noop("by %(name)s"),
    "inside": gettext_noop("A in B %(a)s, B in A %(b)s"),
    "met": gettext_noop("%(shared)s of %(a)s and %(b)s"),
    "needed": gettext_noop("needed: %(count)s"),
    "statistics": gettext_noop("needs the statistics of a collection"),
    "gather": gettext_noop("needs the statistics of a collection: run %(command)s"),
    "batch": gettext_noop("has no score of two texts: it refines the pairs of a collection"),
    "zipf": gettext_noop("Zipf's law"),
    "usual": gettext_noop("%(side)s: as usual (slope %(slope)s, distance %(distance)s)"),
    "unusual": gettext_noop(
        "%(side)s: unusual for a text that a person wrote (slope %(slope)s, distance %(distance)s)"
    ),
    "brief": gettext_noop("%(side)s: under 300 words, too short for an estimate"),
    "passage": gettext_noop("a shared passage; its number links to the other side"),
    "boilerplate": gettext_noop("boilerplate"),
    "common": gettext_noop("many other texts on the site have it too"),
    "title": gettext_noop("%(a)s and %(b)s compared"),
    "known": gettext_noop("Facts"),
    "phrases": gettext_noop("key phrases"),
    "author": gettext_noop("author"),
    "first": gettext_noop("seen first"),
    "decided": gettext_noop("decision"),
    "equal": gettext_noop("equal"),
    "unequal": gettext_noop("unequal"),
    "unknown": gettext_noop("not known for both"),
    "same": gettext_noop("the same"),
    "different": gettext_noop("not duplicates"),
    "withdrawn": gettext_noop("withdrawn"),
    "nobody": gettext_noop("someone"),
    "go": gettext_noop("Passage %(number)s, show in %(side)s"),
}
