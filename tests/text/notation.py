"""Tokens written as one line: ``key`` for words, ``kind:key`` for everything else."""

from __future__ import annotations

from django_neardup.text.canonical_text import CanonicalText

SHORT = {
    "number": "n",
    "code": "c",
    "measure": "m",
    "unit": "u",
    "price": "p",
    "date": "d",
    "contact": "@",
    "latin": "l",
}


def tokens(text: str, **options: str) -> str:
    """ "5 кг" is "m:5000 u:g"."""
    return " ".join(
        token.key if token.kind == "word" else f"{SHORT[token.kind]}:{token.key}"
        for token in CanonicalText(text, **options).tokens  # type: ignore[arg-type]
    )


def keys(text: str, **options: str) -> str:
    """Keys alone, which is all that is compared."""
    return " ".join(token.key for token in CanonicalText(text, **options).tokens)  # type: ignore[arg-type]


def sentences(text: str, **options: str) -> list[str]:
    """What the reader sees of every sentence, from its first to its last word."""
    document = CanonicalText(text, **options)  # type: ignore[arg-type]
    return [
        text[document.tokens[start].start : document.tokens[end - 1].end] for start, end in document.sentences
    ]
