"""The peers, each in its best documented way, and the naive pipelines that sites build of them.

All of them see runs of three words, 128 slots, as the peers' own examples do.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from html import unescape
from importlib import import_module
from typing import Any

from benchmarks.figures import NotMeasured

RUN = 3
SLOTS = 128
WORD = re.compile(r"\w+")


def needs(package: str) -> Any:
    """The module of an optional package; NotMeasured where it is not installed."""
    try:
        return import_module(package)
    except ImportError as error:
        raise NotMeasured(
            f'{package} is not installed: pip install "path/to/django-neardup[peers]"'
        ) from error


def runs_of(words: Sequence[str]) -> list[bytes]:
    """Runs of three neighbouring words as bytes; a shorter text is one run."""
    return [" ".join(words[start : start + RUN]).encode() for start in range(max(len(words) - RUN + 1, 1))]


def tokens(text: str) -> list[str]:
    """Lower-case words by one regular expression."""
    return WORD.findall(text.lower())


def datasketch_signatures(texts: Iterable[str], words: Callable[[str], Sequence[str]] = tokens) -> list[Any]:
    """`re`, then `MinHash.bulk` with datasketch's defaults (SHA-1)."""
    made: list[Any] = needs("datasketch").MinHash.bulk(
        (runs_of(words(text)) for text in texts), num_perm=SLOTS
    )
    return made


def split_words(texts: Iterable[str]) -> list[list[str]]:
    """The least that Python can do to a text."""
    return [text.lower().split() for text in texts]


def stripped(html: str) -> str:
    """The text of a post by Django's own means."""
    from django.utils.html import strip_tags

    return unescape(strip_tags(html))


@cache
def lemma(word: str) -> str:
    """The lemma by pymorphy3, kept for ever: the best that `lru_cache` can do."""
    return normal_form(word)


def normal_form(word: str) -> str:
    """The lemma as pymorphy3's guide finds it."""
    return str(analyser().parse(word)[0].normal_form)


@cache
def analyser() -> Any:
    """pymorphy3 for Russian."""
    import pymorphy3

    return pymorphy3.MorphAnalyzer(lang="ru")


def content_lemmas(html: str) -> list[str]:
    """Lemmas of an HTML post that are not stop words."""
    from django_neardup.text.tokens.stopwords import STOP_WORDS

    return [found for found in map(lemma, tokens(stripped(html))) if found not in STOP_WORDS]
