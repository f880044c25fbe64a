"""Prices, contacts and given names that are the item: the value of a certificate, a domain, a name on a mug."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from ...text.alignment.gaps import Gap
from ...text.alignment.word_links import DIGITS, edit_distance
from ...text.lemmas.morphology import WordReading, get_morphology
from ...text.tokens.tokenize import PRICE_WORDS, Token
from ...text.word_lists import word_set
from ..judged_text import JudgedText
from ..meanings import WORDS, Meaning
from ..pair_context import PairContext
from ..word_classes import is_given_name
from ..word_sets import words_of
from .base import Rule, is_narrow

WORDS_BEFORE, WORDS_AFTER = 7, 4
NAME_WORDS_BEFORE, CONTACT_WORDS_BEFORE = 3, 5
MIN_LONG_ADDRESS = 25
MAX_WORDS_ABOUT_LINK = 8
PHONE_TRIGGERS = word_set("красивый_номер золотой_номер красивого_номера номера_телефона номер_телефона")
QUOTES = "«»“”„\"'"


class _ItemRule(Rule):
    """Both sides have a value of one kind, and a trigger noun stands near in both texts."""

    triggers: ClassVar[frozenset[str]]
    excludes: ClassVar[frozenset[str]] = frozenset()
    words_before: ClassVar[int] = WORDS_BEFORE
    words_after: ClassVar[int] = WORDS_AFTER

    def is_value(self, token: Token) -> bool:
        return token.kind == self.kind

    def find(self, context: PairContext, gap: Gap) -> Meaning | None:
        if not is_narrow(gap):
            return None
        values = [
            {token.key for token in side.unaligned_tokens(start, end) if self.is_value(token)}
            for side, start, end in _sides(context, gap)
        ]
        if not all(values) or values[0] == values[1] or not self.are_others(*values):
            return None
        has_trigger = all(self.has_trigger(side, start, end) for side, start, end in _sides(context, gap))
        return self.meaning(gap, decides=WORDS) if has_trigger else None

    def are_others(self, a: set[str], b: set[str]) -> bool:
        """Return whether the values of the two sides are different things."""
        return True

    def has_trigger(self, side: JudgedText, start: int, end: int) -> bool:
        around = side.keys_around(start, end, self.words_before, self.words_after)
        return not self.triggers.isdisjoint(around) and self.excludes.isdisjoint(around)


class PriceItemRule(_ItemRule):
    """The price is the value of the thing: a coin, a certificate, a loan.

    монету 5 рублей 1998 года | монету 1 рубль 1998 года
    """

    name: ClassVar[str] = "price is the item"
    kind: ClassVar[str] = "price"
    triggers: ClassVar[frozenset[str]] = words_of("item_triggers", "price")
    excludes: ClassVar[frozenset[str]] = PRICE_WORDS


class ContactItemRule(_ItemRule):
    """The address is the thing: a domain, a channel, an episode.

    продам домен rosteplo.ru, возраст 10 лет | продам домен kupibilet.ru, возраст 10 лет
    """

    name: ClassVar[str] = "contact is the item"
    kind: ClassVar[str] = "contact"
    triggers: ClassVar[frozenset[str]] = words_of("item_triggers", "contact")
    words_before: ClassVar[int] = CONTACT_WORDS_BEFORE

    def is_value(self, token: Token) -> bool:
        return token.kind == "contact"

    def has_trigger(self, side: JudgedText, start: int, end: int) -> bool:
        is_phone = any(token.key.startswith("tel:") for token in side.tokens[start:end])
        if is_phone:
            return not PHONE_TRIGGERS.isdisjoint(side.keys_around(start, end, self.words_before, 0))
        # In a text of a few words only the link distinguishes two posts: new episode, and its link.
        is_link = any(token.key.startswith("url:") for token in side.tokens[start:end])
        return (is_link and len(side) <= MAX_WORDS_ABOUT_LINK) or super().has_trigger(side, start, end)

    def are_others(self, a: set[str], b: set[str]) -> bool:
        """Return whether no address is a misspelling of the other."""
        return not any(_is_misspelt(key_a, key_b) for key_a in a for key_b in b)


class NameItemRule(_ItemRule):
    """The given name is the item: it stands in quotes or beside a word such as разыскивается.

    наклейка на шкафчик «Маша» | наклейка на шкафчик «Ваня»
    """

    name: ClassVar[str] = "name is the item"
    kind: ClassVar[str] = "name"
    triggers: ClassVar[frozenset[str]] = words_of("item_triggers", "name")
    words_before: ClassVar[int] = NAME_WORDS_BEFORE
    words_after: ClassVar[int] = 0

    def is_value(self, token: Token) -> bool:
        return token.is_capitalized and is_given_name(token.surface)

    def has_trigger(self, side: JudgedText, start: int, end: int) -> bool:
        quotes = side.signs_before(start) + side.signs_before(end)
        if sum(quotes.count(sign) for sign in QUOTES) >= 2:
            return True
        return self._has_surname(side, start, end) or super().has_trigger(side, start, end)

    @staticmethod
    def _has_surname(side: JudgedText, start: int, end: int) -> bool:
        """Return whether a surname stands directly beside the name: Глеб Орлов."""
        beside = [side.tokens[place] for place in (start - 1, end) if 0 <= place < len(side.tokens)]
        return any(
            token.is_capitalized and any(reading.role == "Surn" for reading in _readings(token.surface))
            for token in beside
        )


def _is_misspelt(a: str, b: str) -> bool:
    """Return whether two long addresses have the same figures and all but two equal letters."""
    is_long = min(len(a), len(b)) >= MIN_LONG_ADDRESS
    return is_long and DIGITS.findall(a) == DIGITS.findall(b) and edit_distance(a, b, 2) <= 2


def _readings(word: str) -> tuple[WordReading, ...]:
    return get_morphology("ru").readings(word)


def _sides(context: PairContext, gap: Gap) -> Iterable[tuple[JudgedText, int, int]]:
    return (context.a, gap.start_a, gap.end_a), (context.b, gap.start_b, gap.end_b)
