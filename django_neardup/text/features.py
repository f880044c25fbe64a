"""A document as the classic algorithms see it: lists of words, sentences, letters."""

from __future__ import annotations

from .canonical_text import CanonicalText
from .tokens.stopwords import STOP_WORDS
from .tokens.token_pattern import UNSPACED_GLYPH
from .tokens.tokenize import Token


def written_form(token: Token) -> str:
    """The word as written, in lower case; of a code its one form, whatever script its letters were typed in."""
    return token.key.lower() if token.kind == "code" else token.surface


def content_lemmas(text: CanonicalText) -> list[str]:
    """Keys of the tokens (lemmas, numbers, codes) that are neither stop words nor contacts, in order."""
    return [token.key for token in text.tokens if token.kind != "contact" and token.key not in STOP_WORDS]


def content_words(text: CanonicalText) -> list[str]:
    """Words as written, in lower case, without stop words: the canonical text of the articles without lemmas."""
    return [written_form(token) for token in text.tokens if token.surface not in STOP_WORDS]


def keys_by_sentence(text: CanonicalText) -> list[list[str]]:
    """Keys of all tokens, a list a sentence."""
    keys = [token.key for token in text.tokens]
    return [keys[start:end] for start, end in text.sentences]


def join_letters(text: CanonicalText, min_word_length: int = 1) -> str:
    """Words as written, in lower case, those of at least `shortest` characters, joined by nothing.

    A glyph of a script without spaces is a token, not a short word: it stays."""
    return "".join(
        written_form(token)
        for token in text.tokens
        if len(token.surface) >= min_word_length or UNSPACED_GLYPH.match(token.surface)
    )
