"""Short and colloquial ways to write common words, and the few synonyms that adverts use for one another.

One line a group, lemmas or forms; words of one group at one place of two texts are one word.  A site's own
classes of words, read from a file, go further: they change what is compared (``Synonyms``).
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
from .tokenize import Token, TokenizedText, tokenize

_SYNONYM_GROUPS = """
продать продавать продаваться продажа
купить покупать приобрести приобретать
сдать сдавать сдаваться
снять снимать
машина авто автомобиль тачка
квартира кв квартирка
комната комн
большой крупный
маленький небольшой малый
телефон тел мобильник мобильный
состояние сост
улица ул
район р-н
метро м
этаж эт
цена стоимость
новый новенький нов
тысяча тыс тыща
человек чел
доставка доставить
спасибо спс пасиб
пожалуйста плиз пжл пжлст пож
сейчас щас ща щаз теперь
что чо че шо
ничего ничо ниче
вообще ваще вобще вопще
говорить грить грю
собственно собсно собстно собсна
естественно ессно естессно
потому птму потмушто
нормальный норм нормас
хотя хоть
можно возможно
apartment apt flat
bedroom bdrm bed
bathroom bath
condition cond
please pls plz
because cuz coz
photo pic picture
buy purchase
sell selling
large big
"""

WORD_KINDS = ("word", "latin")
_CYRILLIC_LETTER = re.compile("[\u0400-\u052f]")

_GROUP_BY_WORD = {
    word: number for number, line in enumerate(_SYNONYM_GROUPS.strip().splitlines()) for word in line.split()
}


def are_synonyms(a: Token, b: Token) -> bool:
    """Whether two words are ways to write one."""
    group = synonym_group(a.surface, a.key)
    return group is not None and group == synonym_group(b.surface, b.key)


def synonym_group(surface: str, key: str) -> int | None:
    """The number of the group of a word, given as it is written and as it is compared; None for most."""
    return _GROUP_BY_WORD.get(surface, _GROUP_BY_WORD.get(key))


@dataclass(frozen=True)
class Synonyms:
    """Classes of words of which each counts as its first: недомогать and хворать as болеть.

    Given to a ``Document``, it replaces the keys of words (never of numbers, codes or contacts), so that every
    key, hash and score sees one word; what the reader sees stays as it is.  Immutable; two with the same content
    are equal, and ``digest``, 32 hexadecimal digits, names that content.
    """

    digest: str
    _leading_key: Mapping[str, str] = field(repr=False, compare=False)

    @classmethod
    def from_classes(cls, classes: Iterable[Sequence[str]], language: str = "ru") -> Synonyms:
        """From classes of words, in any form, the first of each its representative.

        ValueError, with the number of the class from 1 on, for a word in two classes and for what is not one word.
        """
        return cls._from_numbered_classes(enumerate(classes, 1), language)

    @classmethod
    def load(cls, path: str | os.PathLike[str], language: str = "ru") -> Synonyms:
        """From a UTF-8 file: a class a line, its words separated by spaces or commas, ``#`` begins a comment.

        ValueError, with the number of the line, for a word in two classes and for what is not one word;
        OSError where the file cannot be read.
        """
        return cls._from_numbered_classes(read_numbered_classes(path), language)

    @classmethod
    def _from_numbered_classes(cls, classes: Iterable[tuple[int, Sequence[str]]], language: str) -> Synonyms:
        first: dict[str, str] = {}
        lines: dict[str, int] = {}
        for number, words in classes:
            keys = [_token_key(word, language, number) for word in words]
            for key, word in zip(keys, words, strict=True):
                if lines.setdefault(key, number) != number:
                    raise ValueError(f"line {number}: {word!r} is in the class of line {lines[key]} already")
                first[key] = keys[0]
        pairs = sorted(
            (key, representative) for key, representative in first.items() if key != representative
        )
        return cls(digest(part for pair in pairs for part in pair).hex(), dict(pairs))

    def __len__(self) -> int:
        return len(self._leading_key)

    def __bool__(self) -> bool:
        return True

    def leading_key(self, key: str) -> str | None:
        """The key that stands for this one; None for a word of no class and for a representative."""
        return self._leading_key.get(key)

    def apply(self, tokenized: TokenizedText) -> TokenizedText:
        """The same tokens, words of a class with the representative's key."""
        first = self._leading_key
        tokens = [
            token._replace(key=first[token.key]) if token.key in first and token.kind in WORD_KINDS else token
            for token in tokenized.tokens
        ]
        return tokenized._replace(tokens=tuple(tokens))


def read_numbered_classes(path: str | os.PathLike[str]) -> list[tuple[int, list[str]]]:
    """The classes of a file (see ``Synonyms.load``) as they are written, each with the number of its line."""
    lines = enumerate(Path(path).read_text("utf-8-sig").splitlines(), 1)
    classes = ((number, line.partition("#")[0].replace(",", " ").split()) for number, line in lines)
    return [(number, words) for number, words in classes if words]


def _token_key(word: str, language: str, line: int) -> str:
    """What a document has for a word."""
    tokens = tokenize(
        normalize(plain_text(word)).offset_text, language, bool(_CYRILLIC_LETTER.search(word))
    ).tokens
    if len(tokens) != 1 or tokens[0].kind not in WORD_KINDS:
        raise ValueError(f"line {line}: {word!r} is not one word")
    return tokens[0].key
