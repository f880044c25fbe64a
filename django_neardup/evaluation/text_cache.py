"""A cache of canonical texts of a corpus, limited by texts and by words."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping

from ..text.canonical_text import CanonicalText
from .timing import Cost, StepClock

MAX_CACHED_TEXTS = 8192
MAX_CACHED_WORDS = 1_000_000


class CanonicalTextCache:
    """``texts[id]`` for the texts of one corpus, each canonicalized on first use.

    At most ``max_texts`` texts and ``max_words`` tokens (about 230 bytes each) are kept, the most recently
    used ones. ``cost`` is the processor time of canonicalization. ``on_create`` is called with every new
    text. ``heads``: lengths of declared heads by id. Other texts have none.
    """

    def __init__(
        self,
        texts: Mapping[str, str],
        language: str = "ru",
        max_texts: int = MAX_CACHED_TEXTS,
        max_words: int = MAX_CACHED_WORDS,
        on_create: Callable[[str, CanonicalText], None] | None = None,
        heads: Mapping[str, int] | None = None,
    ) -> None:
        self.texts, self._heads = texts, heads or {}
        self._language, self._max_texts, self._max_words, self._on_create = (
            language,
            max_texts,
            max_words,
            on_create,
        )
        self._cache: OrderedDict[str, CanonicalText] = OrderedDict()
        self._cached_words = 0
        self._clock = StepClock()

    @property
    def cost(self) -> Cost:
        return self._clock["canonise"]

    def __getitem__(self, key: str) -> CanonicalText:
        text = self._cache.get(key)
        if text is None:
            return self._add(key)
        self._cache.move_to_end(key)
        return text

    def _add(self, key: str) -> CanonicalText:
        text = self._cache[key] = self._clock.measure(
            "canonise", canonicalize, self.texts[key], self._language, self._heads.get(key, 0)
        )
        self._cached_words += len(text)
        # The newest text stays, however long it is.
        while len(self._cache) > 1 and (
            len(self._cache) > self._max_texts or self._cached_words > self._max_words
        ):
            self._cached_words -= len(self._cache.popitem(last=False)[1])
        if self._on_create:
            self._on_create(key, text)
        return text


def canonicalize(text: str, language: str = "ru", head: int = 0) -> CanonicalText:
    """Return a canonical text with the features that all algorithms share."""
    canonical = CanonicalText(text, language=language, head=head)
    # Computed now: otherwise the first algorithm would be charged for them.
    _ = (
        canonical.total_weight,
        canonical.exact_digest,
        canonical.hashes,
        canonical.content_word_count,
    )
    return canonical


def join_token_keys(text: CanonicalText) -> str:
    """Return the text as algorithms read it: the keys of its tokens, separated by spaces."""
    return " ".join(token.key for token in text.tokens)
