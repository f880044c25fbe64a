"""Two replies to one quotation: their own words decide."""

from __future__ import annotations

import re

from ..text.alignment.align import align
from ..text.canonical_text import CanonicalText
from ..text.normalization.plain_text import own_text

MIN_COMMON_SHARE = 0.5
MIN_OWN_WORDS_OF_REPLY = 2
_HINT = re.compile(r"\[quote|<blockquote|(?:^|\n)[ \t]*>", re.I)


def is_reply(a: CanonicalText, b: CanonicalText) -> bool:
    """Return whether one text quotes most of the other, and adds words of its own."""
    quoting, other = (a, b) if _quotes(a.raw) else (b, a)
    if not _quotes(quoting.raw) or _quotes(other.raw):
        return False
    own = own_text(quoting.raw)
    if len(own.split()) < MIN_OWN_WORDS_OF_REPLY or len(_own_words(quoting)) == len(quoting):
        return False
    words, own_words = set(other.raw.lower().split()), set(own.lower().split())
    return len(words - own_words) > len(words) * MIN_COMMON_SHARE


def have_other_own_words(a: CanonicalText, b: CanonicalText, min_score: float) -> bool:
    """Return whether both texts quote something, and their own words have a lower score than ``min_score``."""
    if not (_quotes(a.raw) and _quotes(b.raw)):
        return False
    if _share_of_common_words(own_text(a.raw), own_text(b.raw)) >= MIN_COMMON_SHARE:
        return False
    own_a, own_b = _own_words(a), _own_words(b)
    if not len(own_a) or not len(own_b) or len(own_a) == len(a) or len(own_b) == len(b):
        return False
    return align(own_a, own_b).score < min_score


def _share_of_common_words(a: str, b: str) -> float:
    """Return the Jaccard similarity of the words as written. It costs a fraction of an alignment."""
    words_a, words_b = set(a.lower().split()), set(b.lower().split())
    return len(words_a & words_b) / max(len(words_a | words_b), 1)


def _quotes(raw: str) -> bool:
    return ("[" in raw or ">" in raw) and bool(_HINT.search(raw))


def _own_words(text: CanonicalText) -> CanonicalText:
    return CanonicalText(
        own_text(text.raw), language=text.language, secret=text.secret, synonyms=text.synonyms
    )
