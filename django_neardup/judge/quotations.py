"""Quotations: two replies to one quotation, and a reply to the other text."""

from __future__ import annotations

import re

from ..text.alignment.align import align
from ..text.canonical_text import CanonicalText
from ..text.normalization.plain_text import own_text

MIN_COMMON_SHARE = 0.5
MIN_OWN_WORDS_OF_REPLY = 2
# Three patterns: a search for one first character is many times faster than one for several.
_QUOTE_TAG = re.compile(r"\[quote", re.I)
_BLOCKQUOTE = re.compile("<blockquote", re.I)
_QUOTED_LINE = re.compile(r"\n[ \t]*>")


def verdict_by_quotations(a: CanonicalText, b: CanonicalText, min_score: float) -> str:
    """Return the verdict that quotations give. Return "" if they give none.

    - ``related``: both texts quote something, and their own words have a lower score than ``min_score``.
    - ``contained``: one text quotes most of the other, and adds other words.
    """
    quoting = [text for text in (a, b) if _quotes(text.raw)]
    if len(quoting) == 2:
        return "related" if _have_other_own_words(a, b, min_score) else ""
    if len(quoting) == 1:
        return "contained" if _is_reply(quoting[0], b if quoting[0] is a else a) else ""
    return ""


def _is_reply(quoting: CanonicalText, other: CanonicalText) -> bool:
    own = own_text(quoting.raw, quoting.markup)
    if len(own.split()) < MIN_OWN_WORDS_OF_REPLY or len(_own_words(quoting, own)) == len(quoting):
        return False
    words, own_words = set(other.raw.lower().split()), set(own.lower().split())
    return len(words - own_words) > len(words) * MIN_COMMON_SHARE


def _have_other_own_words(a: CanonicalText, b: CanonicalText, min_score: float) -> bool:
    text_a, text_b = own_text(a.raw, a.markup), own_text(b.raw, b.markup)
    if _share_of_common_words(text_a, text_b) >= MIN_COMMON_SHARE:
        return False
    own_a, own_b = _own_words(a, text_a), _own_words(b, text_b)
    if not len(own_a) or not len(own_b) or len(own_a) == len(a) or len(own_b) == len(b):
        return False
    return align(own_a, own_b).score < min_score


def _share_of_common_words(a: str, b: str) -> float:
    """Return the Jaccard similarity of the words as written. It costs a fraction of an alignment."""
    words_a, words_b = set(a.lower().split()), set(b.lower().split())
    return len(words_a & words_b) / max(len(words_a | words_b), 1)


def _quotes(raw: str) -> bool:
    if "[" in raw and _QUOTE_TAG.search(raw):
        return True
    if ">" not in raw:
        return False
    return bool(raw.lstrip(" \t").startswith(">") or _QUOTED_LINE.search(raw) or _BLOCKQUOTE.search(raw))


def _own_words(text: CanonicalText, own: str) -> CanonicalText:
    # Without the option "quotes": there are no quotations left. If the markup is declared, it is gone too.
    markup = text.markup and "none"
    return CanonicalText(
        own, language=text.language, secret=text.secret, synonyms=text.synonyms, markup=markup
    )
