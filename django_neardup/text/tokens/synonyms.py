"""Short and colloquial forms of common words, and a few synonyms that are common in adverts.

One line is one group of lemmas or forms. Words of one group at the same position of two texts are the
same word. ``Synonyms``, classes of words from a site's file, goes further: it changes what is compared.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..hashing import digest
from ..normalization.normalize import normalize
from ..normalization.plain_text import plain_text
from ..vocabulary import read_entries, read_lines
from .tokenize import Token, TokenizedText, tokenize

WORD_KINDS = ("word", "latin")
_CYRILLIC_LETTER = re.compile("[\u0400-\u052f]")


def _groups_by_word() -> dict[str, frozenset[int]]:
    """Return the numbers of the lines of synonyms and abbreviations that have a word."""
    lines = [line.split() for line in read_lines("synonyms")]
    lines += [[full, *short_forms] for full, short_forms in read_entries("abbreviations")]
    groups: dict[str, set[int]] = {}
    for number, words in enumerate(lines):
        for word in words:
            groups.setdefault(word, set()).add(number)
    return {word: frozenset(numbers) for word, numbers in groups.items()}


_GROUPS_BY_WORD = _groups_by_word()
_NO_GROUPS: frozenset[int] = frozenset()


def are_synonyms(a: Token, b: Token) -> bool:
    """Return whether two words belong to one group."""
    groups = synonym_groups(a.surface, a.key)
    return bool(groups) and not groups.isdisjoint(synonym_groups(b.surface, b.key))


def synonym_groups(surface: str, key: str) -> frozenset[int]:
    """Return the numbers of the groups of a word, given as written and as compared. Most words have none."""
    return _GROUPS_BY_WORD.get(surface, _NO_GROUPS) | _GROUPS_BY_WORD.get(key, _NO_GROUPS)


@dataclass(frozen=True)
class Synonyms:
    """Classes of words. Every word counts as the first of its class: недомогать and хворать as болеть.

    In a ``CanonicalText`` they replace the keys of words (never of numbers, codes or contacts). Every
    key, hash and score then uses one word. The visible text stays as it is. Instances are immutable. Two
    with the same content are equal. ``digest``, 32 hexadecimal digits, identifies the content.
    """

    digest: str
    _leading_key: Mapping[str, str] = field(repr=False, compare=False)

    @classmethod
    def from_classes(cls, classes: Iterable[Sequence[str]], language: str = "ru") -> Synonyms:
        """Create from classes of words, in any form. The first of each is its representative.

        Raise ValueError with the number of the class, from 1 on, for a word in two classes and for an
        item that is not one word.
        """
        return cls._from_numbered_classes(enumerate(classes, 1), language)

    @classmethod
    def load(cls, path: str | os.PathLike[str], language: str = "ru") -> Synonyms:
        """Read from a UTF-8 file.

        A line is a class, with words separated by spaces or commas. ``#`` begins a comment.

        Raise ValueError with the line number for a word in two classes and for an item that is not one
        word. Raise OSError if the file cannot be read.
        """
        return cls._from_numbered_classes(read_numbered_classes(path), language)

    @classmethod
    def _from_numbered_classes(cls, classes: Iterable[tuple[int, Sequence[str]]], language: str) -> Synonyms:
        representative_by_key: dict[str, str] = {}
        line_by_key: dict[str, int] = {}
        for number, words in classes:
            keys = [_token_key(word, language, number) for word in words]
            for key, word in zip(keys, words, strict=True):
                if line_by_key.setdefault(key, number) != number:
                    raise ValueError(
                        f"line {number}: {word!r} is in the class of line {line_by_key[key]} already"
                    )
                representative_by_key[key] = keys[0]
        pairs = sorted(
            (key, representative)
            for key, representative in representative_by_key.items()
            if key != representative
        )
        return cls(digest(part for pair in pairs for part in pair).hex(), dict(pairs))

    def __len__(self) -> int:
        return len(self._leading_key)

    def __bool__(self) -> bool:
        return True

    def leading_key(self, key: str) -> str | None:
        """Return the key that replaces this one.

        Return None for a word without a class and for a representative.
        """
        return self._leading_key.get(key)

    def apply(self, tokenized: TokenizedText) -> TokenizedText:
        """Return the same tokens. Words of a class get the key of the representative."""
        leading_keys = self._leading_key
        tokens = [
            token._replace(key=leading_keys[token.key])
            if token.key in leading_keys and token.kind in WORD_KINDS
            else token
            for token in tokenized.tokens
        ]
        return tokenized._replace(tokens=tuple(tokens))


def read_numbered_classes(path: str | os.PathLike[str]) -> list[tuple[int, list[str]]]:
    """Return the classes of a file (see ``Synonyms.load``) as written, each with its line number."""
    lines = enumerate(Path(path).read_text("utf-8-sig").splitlines(), 1)
    classes = ((number, line.partition("#")[0].replace(",", " ").split()) for number, line in lines)
    return [(number, words) for number, words in classes if words]


def _token_key(word: str, language: str, line: int) -> str:
    """Return the key that a text has for a word. Raise ValueError if it is not one word."""
    tokens = tokenize(
        normalize(plain_text(word)).offset_text, language, bool(_CYRILLIC_LETTER.search(word))
    ).tokens
    if len(tokens) != 1 or tokens[0].kind not in WORD_KINDS:
        raise ValueError(f"line {line}: {word!r} is not one word")
    return tokens[0].key
