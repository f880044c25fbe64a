"""One text and its views, each computed once."""

from __future__ import annotations

import struct
from functools import cached_property, lru_cache

from .hashing import digest, hash_word
from .lists import words
from .names import people
from .normalize import Folded, normalize
from .plain import plain_text
from .stopwords import STOP
from .synonyms import Synonyms
from .tokenize import Token, Tokens, tokenize
from .traced import Traced

CYRILLIC_LANGUAGES = words("ru uk be bg sr mk kk ky mn tg tt ba")
CACHE_HASHES = 50_000

STOP_WEIGHT = 0.35
WEIGHTS = {"code": 2.0, "number": 2.0, "measure": 2.0, "price": 0.1, "contact": 0.1, "date": 0.3}


class _Hashes(dict[str, int]):
    """Key of a token to its keyed hash."""

    def __init__(self, secret: bytes) -> None:
        super().__init__()
        self.secret = secret

    def __missing__(self, key: str) -> int:
        value = hash_word(key, self.secret)
        if len(self) >= CACHE_HASHES:
            self.clear()
        self[key] = value
        return value


@lru_cache(maxsize=8)
def _hashes(secret: bytes) -> _Hashes:
    return _Hashes(secret)


def weight(token: Token) -> float:
    """How much a token counts in a score: figures most, contacts next to nothing, words by their length."""
    return WEIGHTS.get(token.kind) or _WORD_WEIGHTS[token.key]


class _WordWeights(dict[str, float]):
    def __missing__(self, key: str) -> float:
        value = STOP_WEIGHT if key in STOP else 0.6 + 0.1 * min(len(key), 10)
        if len(self) < CACHE_HASHES:
            self[key] = value
        return value


_WORD_WEIGHTS = _WordWeights()


class Document:
    """A text as the algorithms see it.

    ``language``: what words are lemmatised as, "ru" by default; ``quotes``: "keep" or "drop" quotations;
    ``secret`` keys every hash; ``synonyms``: classes of words that count as one.  Accepts any ``str``, never
    raises for its content; of a text over 1 MiB only the head and the tail are read, and ``truncated`` says so.
    ``len()`` is the number of tokens.
    """

    def __init__(
        self,
        text: str,
        *,
        language: str = "ru",
        quotes: str = "keep",
        secret: bytes = b"",
        synonyms: Synonyms | None = None,
    ) -> None:
        if quotes not in ("keep", "drop"):
            raise ValueError("quotes is 'keep' or 'drop'")
        self.raw = text
        self.language = language
        self.quotes = quotes
        self.secret = secret
        self.synonyms = synonyms

    def __len__(self) -> int:
        return len(self.tokens)

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"Document({self.raw[:40]!r})"

    @property
    def _prefers_cyrillic(self) -> bool:
        return self.language.lower()[:2] in CYRILLIC_LANGUAGES

    @cached_property
    def _folded(self) -> Folded:
        return normalize(plain_text(self.raw, self.quotes), prefer_cyrillic=self._prefers_cyrillic)

    @property
    def folded(self) -> Traced:
        """The plain text after Unicode folding, with the places of its characters in ``raw``."""
        return self._folded.traced

    @property
    def cyrillic(self) -> bool:
        """Whether the text is mostly Cyrillic."""
        return self._folded.cyrillic

    @cached_property
    def _tokenized(self) -> Tokens:
        found = tokenize(self.folded, self.language, self.cyrillic)
        return self.synonyms.applied(found) if self.synonyms else found

    @property
    def tokens(self) -> tuple[Token, ...]:
        return self._tokenized.tokens

    @property
    def sentences(self) -> tuple[tuple[int, int], ...]:
        """Half-open ranges of tokens, in order, that cover all of them."""
        return self._tokenized.sentences

    @property
    def truncated(self) -> bool:
        """Whether a part of the text was left out."""
        return self._tokenized.truncated

    @property
    def words(self) -> int:
        """Number of tokens."""
        return len(self.tokens)

    @cached_property
    def hashes(self) -> tuple[int, ...]:
        """Keyed unsigned 64-bit hashes of the tokens' keys, in order."""
        known = _hashes(self.secret)
        return tuple([known[token.key] for token in self.tokens])

    @cached_property
    def weights(self) -> tuple[float, ...]:
        """See ``weight``; one value a token, above 0 and at most 2."""
        fixed, by_key = WEIGHTS.get, _WORD_WEIGHTS
        return tuple([fixed(token.kind) or by_key[token.key] for token in self.tokens])

    @cached_property
    def weight(self) -> float:
        """Sum of the weights."""
        return sum(self.weights)

    @cached_property
    def content_words(self) -> int:
        """Number of tokens that are not stop words."""
        return sum(token.key not in STOP for token in self.tokens)

    @cached_property
    def codes(self) -> frozenset[str]:
        """Canonical codes: С140.35, DSC-W120."""
        return frozenset(token.key for token in self.tokens if token.kind == "code")

    @cached_property
    def contacts(self) -> tuple[str, ...]:
        """Canonical phones, e-mails, links and handles, each once, in order."""
        return tuple(dict.fromkeys(token.key for token in self.tokens if token.kind == "contact"))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """People's full names, "иванов иван иванович" or "иванов и. и.", each once, in order (see ``people``)."""
        return people(self.raw, self.tokens, self.sentences, self.language)

    @cached_property
    def exact(self) -> bytes:
        """16-byte keyed digest of ``hashes``: equal for texts that differ only in dress."""
        return digest([struct.pack(f"<{len(self.hashes)}Q", *self.hashes)], self.secret)
