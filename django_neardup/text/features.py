"""Features of a text for the classic algorithms: lists of words, sentences, letters."""

from __future__ import annotations

from .canonical_text import CanonicalText
from .tokens.stopwords import STOP_WORDS
from .tokens.token_pattern import UNSPACED_GLYPH
from .tokens.tokenize import Token


def written_form(token: Token) -> str:
    """Return the word as written, in lower case. For a code, return its canonical form in lower case.

    Codes typed with letters of another script have the same form.
    """
    return token.key.lower() if token.kind == "code" else token.surface


def content_lemmas(text: CanonicalText) -> list[str]:
    """Return the keys (lemmas, numbers, codes) of all tokens except stop words and contacts, in order."""
    return [token.key for token in text.tokens if token.kind != "contact" and token.key not in STOP_WORDS]


def content_words(text: CanonicalText) -> list[str]:
    """Return the words as written, in lower case, without stop words.

    It is the articles' canonical text without lemmas.
    """
    return [written_form(token) for token in text.tokens if token.surface not in STOP_WORDS]


def keys_by_sentence(text: CanonicalText) -> list[list[str]]:
    """Return the keys of all tokens, one list per sentence."""
    keys = [token.key for token in text.tokens]
    return [keys[start:end] for start, end in text.sentences]


def join_letters(text: CanonicalText, min_word_length: int = 1) -> str:
    """Join the words of at least ``min_word_length`` characters, as written, in lower case, without blanks.

    Glyphs of a script without spaces are kept: each is a token, not a short word.
    """
    return "".join(
        written_form(token)
        for token in text.tokens
        if len(token.surface) >= min_word_length or UNSPACED_GLYPH.match(token.surface)
    )
