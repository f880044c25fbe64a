"""A document as the classic algorithms see it: lists of words, sentences, letters."""

from __future__ import annotations

from .document import Document
from .grammar import GLYPH
from .stopwords import STOP
from .tokenize import Token


def written(token: Token) -> str:
    """The word as written, in lower case; of a code its one form, whatever script its letters were typed in."""
    return token.key.lower() if token.kind == "code" else token.surface


def content_lemmas(document: Document) -> list[str]:
    """Keys of the tokens (lemmas, numbers, codes) that are neither stop words nor contacts, in order."""
    return [token.key for token in document.tokens if token.kind != "contact" and token.key not in STOP]


def content_words(document: Document) -> list[str]:
    """Words as written, in lower case, without stop words: the canonical text of the articles without lemmas."""
    return [written(token) for token in document.tokens if token.surface not in STOP]


def sentence_words(document: Document) -> list[list[str]]:
    """Keys of all tokens, a list a sentence."""
    keys = [token.key for token in document.tokens]
    return [keys[start:end] for start, end in document.sentences]


def letters(document: Document, shortest: int = 1) -> str:
    """Words as written, in lower case, those of at least `shortest` characters, joined by nothing.

    A glyph of a script without spaces is a token, not a short word: it stays."""
    return "".join(
        written(token)
        for token in document.tokens
        if len(token.surface) >= shortest or GLYPH.match(token.surface)
    )
