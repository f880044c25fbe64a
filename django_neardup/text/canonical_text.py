"""One text and its views. Each view is computed once."""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property
from operator import attrgetter

from .chunk_cache import BARE, RECORD, STOPPED
from .exact_form import exact_form, may_be_decorated, without_decoration
from .normalization.normalize import NormalizedText, normalize
from .normalization.offsets import OffsetText
from .normalization.plain_text import plain_text
from .reader import Reading, prefers_cyrillic, read
from .signs import Sign, find_signs
from .tokens.person_names import find_person_names
from .tokens.stopwords import STOP_WORDS
from .tokens.synonyms import Synonyms
from .tokens.tokenize import Token, TokenizedText, lower, tokenize

CACHE_WEIGHTS = 50_000

STOP_WORD_WEIGHT = 0.35
WEIGHT_BY_KIND = {"code": 2.0, "number": 2.0, "measure": 2.0, "price": 0.1, "contact": 0.1, "date": 0.3}


def token_weight(token: Token) -> float:
    """Return the weight of a token in a score: most for figures, almost none for contacts.

    Words count by length.
    """
    return WEIGHT_BY_KIND.get(token.kind) or _WORD_WEIGHTS[token.key]


class _WordWeightCache(dict[str, float]):
    def __missing__(self, key: str) -> float:
        value = STOP_WORD_WEIGHT if key in STOP_WORDS else 0.6 + 0.1 * min(len(key), 10)
        if len(self) < CACHE_WEIGHTS:
            self[key] = value
        return value


_WORD_WEIGHTS = _WordWeightCache()


class CanonicalText:
    """A text as the algorithms use it. Any ``str`` is accepted, and no content raises an error.

    - ``language``: the language of the lemmas, "ru" by default.
    - ``quotes``: "keep" or "drop" quotations. Any other value raises ValueError.
    - ``markup``: the markup that the site renders (see ``plain_text``). None means that it is not known.
    - ``secret``: the key of every hash.
    - ``synonyms``: classes of words that count as one.
    - ``head``: number of characters of the raw text that form the declared head (title). 0 means none.

    The head changes no hash, key, weight or digest.

    A text over 1 MiB, or over ``MAX_TOKENS`` tokens, is not read: it has no tokens, and ``too_long`` is True. ``len()``
    is the number of tokens. The reader provides the hashes and the views derived from them. Tokens with their
    offsets are made on first access.
    """

    def __init__(
        self,
        text: str,
        *,
        language: str = "ru",
        quotes: str = "keep",
        secret: bytes = b"",
        synonyms: Synonyms | None = None,
        head: int = 0,
        markup: str | None = None,
    ) -> None:
        if quotes not in ("keep", "drop"):
            raise ValueError("quotes is 'keep' or 'drop'")
        self.raw = text
        self.language = language
        self.quotes = quotes
        self.secret = secret
        self.synonyms = synonyms
        self.head = head
        self.markup = markup

    def __len__(self) -> int:
        return len(self.reading.data) // RECORD.size

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"CanonicalText({self.raw[:40]!r})"

    @cached_property
    def reading(self) -> Reading:
        """The reader's results for the text."""
        return read(self.raw, self.language, self.quotes, self.secret, self.synonyms, self.markup)

    @cached_property
    def _records(self) -> tuple[tuple[int, int], ...]:
        """The hash of every token, and its marks."""
        return tuple(RECORD.iter_unpack(self.reading.data))

    def without_tokens(self) -> CanonicalText:
        """Return a copy with the reading only. All other computed values are dropped."""
        return self.with_head(self.head)

    def with_head(self, head: int) -> CanonicalText:
        """Return a copy with another head. It has the reading only, which does not depend on the head."""
        text = self.with_raw(self.raw)
        text.head = head
        text.reading = self.reading
        return text

    def with_raw(self, raw: str) -> CanonicalText:
        """Return another raw text, without a head, that is read with the same options."""
        return CanonicalText(
            raw,
            language=self.language,
            quotes=self.quotes,
            secret=self.secret,
            synonyms=self.synonyms,
            markup=self.markup,
        )

    @property
    def plain(self) -> str:
        """The text without markup, as a person sees it."""
        return self.reading.plain

    @property
    def traced_plain(self) -> OffsetText:
        """``plain`` with the offsets of its characters in ``raw``. It is computed each time."""
        return plain_text(self.raw, self.quotes, markup=self.markup)

    @cached_property
    def _normalized(self) -> NormalizedText:
        return normalize(self.traced_plain, prefer_cyrillic=prefers_cyrillic(self.language))

    @property
    def folded_text(self) -> OffsetText:
        """The plain text after Unicode folding, with the offsets of its characters in ``raw``."""
        return self._normalized.offset_text

    @property
    def is_cyrillic(self) -> bool:
        """Whether the text is mostly Cyrillic."""
        return self._normalized.is_cyrillic

    @property
    def is_usual(self) -> bool:
        """Whether the text has only common characters of Russian and English: no emoji and no accents."""
        return self._normalized.usual

    @cached_property
    def _tokens_and_sentences(self) -> TokenizedText:
        tokenized = tokenize(self.folded_text, self.language, self.is_cyrillic)
        return self.synonyms.apply(tokenized) if self.synonyms else tokenized

    @property
    def tokens(self) -> tuple[Token, ...]:
        return self._tokens_and_sentences.tokens

    @property
    def sentences(self) -> tuple[tuple[int, int], ...]:
        """Half-open ranges of tokens, in order, that together cover all tokens."""
        return self._tokens_and_sentences.sentences

    @cached_property
    def head_end(self) -> int:
        """Number of tokens that start in the declared head. They are the first tokens of the text."""
        # Most texts have no head: their tokens are not made for this.
        return bisect_left(self.tokens, self.head, key=attrgetter("start")) if self.head > 0 else 0

    @property
    def too_long(self) -> bool:
        """Whether the text is too long to be read."""
        return self.reading.too_long

    @property
    def word_count(self) -> int:
        """Number of tokens."""
        return len(self)

    @cached_property
    def hashes(self) -> tuple[int, ...]:
        """Keyed unsigned 64-bit hashes of the tokens' keys, in order."""
        return tuple([value for value, _ in self._records])

    @cached_property
    def stop(self) -> tuple[bool, ...]:
        """Whether each token is a stop word."""
        return tuple([marks & STOPPED != 0 for _, marks in self._records])

    @cached_property
    def content(self) -> tuple[bool, ...]:
        """Whether each token is neither a stop word nor a price nor a contact."""
        return tuple([marks & (STOPPED | BARE) == 0 for _, marks in self._records])

    @cached_property
    def weights(self) -> tuple[float, ...]:
        """``token_weight`` of every token, above 0 and at most 2."""
        weight_by_kind, word_weights = WEIGHT_BY_KIND.get, _WORD_WEIGHTS
        return tuple([weight_by_kind(token.kind) or word_weights[token.key] for token in self.tokens])

    @cached_property
    def total_weight(self) -> float:
        """Sum of the weights."""
        return sum(self.weights)

    @cached_property
    def content_word_count(self) -> int:
        """Number of tokens that are not stop words."""
        return self.stop.count(False)

    @cached_property
    def codes(self) -> frozenset[str]:
        """Canonical codes: С140.35, DSC-W120."""
        return frozenset(self.reading.codes)

    @cached_property
    def contacts(self) -> tuple[str, ...]:
        """Canonical phones, e-mails, links and handles, each once, in order."""
        return tuple(dict.fromkeys(self.reading.contacts))

    @cached_property
    def person_names(self) -> tuple[str, ...]:
        """Full names of people, each once, in order (see ``find_person_names``).

        They look like "иванов иван иванович" or "иванов и. и.".
        """
        return find_person_names(self.raw, self.tokens, self.sentences, self.language)

    @cached_property
    def signs(self) -> tuple[Sign, ...]:
        """Signs that carry meaning, in order (see ``signs``)."""
        return find_signs(self.folded_text, self.tokens, usual=self.is_usual)

    @property
    def may_be_decorated(self) -> bool:
        """Whether the text has a character that may be decoration."""
        return may_be_decorated(self.folded_text.text, usual=self.is_usual)

    def decoration_and_rest(self) -> tuple[bool, bytes]:
        """Return whether the text has emoji or other decoration, and its exact form without them."""
        form = exact_form(
            lower(self.folded_text.text), self.plain, cyrillic=self.is_cyrillic, usual=self.is_usual
        )
        rest = without_decoration(form)
        return rest != form, rest

    @property
    def exact_digest(self) -> bytes:
        """16-byte keyed digest of the exact form. It is equal for texts that differ only in formatting."""
        return self.reading.exact_digest
