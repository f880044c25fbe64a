"""What another word at one place would tell: the classes of words for the variant guard."""

from __future__ import annotations

from .morphology import morphology
from .stopwords import NEGATIONS, STOP
from .tokenize import Token

EXCUSED = ("price", "date", "contact")
CLASSES = {
    "code": "code",
    "number": "number",
    "numeral": "number",
    "measure": "measure",
    "price": "price",
    "date": "date",
    "contact": "contact",
}
RANK = ("code", "measure", "number", "latin", "name", "person", "negation", "price", "date", "contact")
SHARP = frozenset({"code", "number", "measure", "latin"})
NAMES = ("name", "latin", "person")
POS_THAT_NAME = ("NOUN", "ADJF", "PRTF")


def contrast(token: Token, words: bool) -> str | None:
    """The class in which another word at this place would tell another thing, or None.

    Classes are those of the differences, and `latin` for a Latin name in a Cyrillic text, `person` for a given name.
    `words`: whether nouns, adjectives and names count.
    """
    if token.kind in CLASSES:
        return CLASSES[token.kind]
    if token.key in NEGATIONS:
        return "negation"
    if token.key in STOP or token.surface in STOP or (len(token.key) < 3 and token.kind != "latin"):
        return None
    if token.kind == "latin":
        return "latin"
    if not words or not identifies(token):
        return None
    return "person" if token.name and token.capital and is_given_name(token.surface) else "name"


def identifies(token: Token) -> bool:
    """Whether a word may say which thing is meant: noun, adjective, name, or of a part of speech not known."""
    return token.name or not token.pos or token.pos in POS_THAT_NAME


def is_given_name(word: str) -> bool:
    """Whether a word is, at first reading, what somebody is called: Марина, Сергеевич."""
    readings = morphology("ru").readings(word)
    return bool(readings) and readings[0].given_name


def foremost(kinds: set[str]) -> str:
    """The most telling of some classes, as the class of a difference; given names alone are a contact."""
    if kinds == {"person"}:
        return "contact"
    kind = min(kinds, key=RANK.index)
    return "name" if kind in NAMES else kind
