"""Classes of words for the variant guard: how important another word at the same position is."""

from __future__ import annotations

from ..lemmas.morphology import get_morphology
from ..tokens.stopwords import NEGATIONS, STOP_WORDS
from ..tokens.tokenize import Token

# A new price, date or contact does not make another thing.
IGNORED_CLASSES = ("price", "date", "contact")
CLASS_BY_KIND = {
    "code": "code",
    "number": "number",
    "numeral": "number",
    "measure": "measure",
    "price": "price",
    "date": "date",
    "contact": "contact",
}
CLASS_PRIORITY = (
    "code",
    "measure",
    "number",
    "latin",
    "name",
    "person",
    "negation",
    "price",
    "date",
    "contact",
)
PRECISE_CLASSES = frozenset({"code", "number", "measure", "latin"})
NAME_CLASSES = ("name", "latin", "person")
NAMING_PARTS_OF_SPEECH = ("NOUN", "ADJF", "PRTF")


def difference_class(token: Token, guard_words: bool) -> str | None:
    """Return the class in which another word at this position means another thing.

    Return None if there is none.

    The classes are the kinds of differences, ``latin`` for a Latin name in a Cyrillic text, and ``person``
    for a given name. ``guard_words``: whether nouns, adjectives and names count.
    """
    if token.kind in CLASS_BY_KIND:
        return CLASS_BY_KIND[token.kind]
    if token.key in NEGATIONS:
        return "negation"
    if (
        token.key in STOP_WORDS
        or token.surface in STOP_WORDS
        or (len(token.key) < 3 and token.kind != "latin")
    ):
        return None
    if token.kind == "latin":
        return "latin"
    if not guard_words or not can_identify(token):
        return None
    return "person" if token.is_name and token.is_capitalized and is_given_name(token.surface) else "name"


def can_identify(token: Token) -> bool:
    """Return whether a word can identify a thing: noun, adjective, name, or unknown part of speech."""
    return token.is_name or not token.pos or token.pos in NAMING_PARTS_OF_SPEECH


def is_given_name(word: str) -> bool:
    """Return whether the most likely reading of a word is a given name or patronymic: Марина, Сергеевич."""
    readings = get_morphology("ru").readings(word)
    return bool(readings) and readings[0].is_given_name


def most_decisive_class(classes: set[str]) -> str:
    """Return the most decisive of some classes, as the kind of a difference.

    Given names only are a contact.
    """
    if classes == {"person"}:
        return "contact"
    kind = min(classes, key=CLASS_PRIORITY.index)
    return "name" if kind in NAME_CLASSES else kind
