"""Classes of words for the variant guard: how important another word at the same position is."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from ..text.alignment.transliteration import is_brand
from ..text.alignment.word_links import is_in_dictionary
from ..text.lemmas.morphology import get_morphology
from ..text.tokens.stopwords import NEGATIONS, STOP_WORDS
from ..text.tokens.tokenize import Token

# A new price, date or contact does not make another thing.
IGNORED_CLASSES = ("price", "date", "contact")
CLASS_BY_KIND = {
    "code": "code",
    "number": "number",
    "measure": "measure",
    "unit": "measure",
    "price": "price",
    "date": "date",
    "contact": "contact",
}
CLASS_PRIORITY = (
    "sign",
    "code",
    "measure",
    "number",
    "latin",
    "name",
    "person",
    "deal",
    "role",
    "opposite",
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


def token_classes(
    tokens: Iterable[Token], guard_words: bool, keys_elsewhere: Collection[str], ignored: Collection[str]
) -> set[str]:
    """Return the classes of the words at one side of a difference.

    A name that the other text has elsewhere does not count, nor do ignored classes.
    """
    classes = set()
    for token in tokens:
        kind = difference_class(token, guard_words)
        if kind and kind not in ignored and not (kind in NAME_CLASSES and token.key in keys_elsewhere):
            classes.add(kind)
    return classes


def can_identify(token: Token) -> bool:
    """Return whether a word can identify a thing: noun, adjective, name, brand, or a word of no dictionary."""
    return (
        token.is_name
        or not token.pos
        or token.pos in NAMING_PARTS_OF_SPEECH
        or is_brand(token.surface)
        or not (token.surface.isascii() or is_in_dictionary(token.surface))
    )


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
