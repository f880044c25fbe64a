"""The deal that an advert offers. Two adverts that offer different deals for one thing are two adverts."""

from __future__ import annotations

from collections.abc import Iterable

from ..tokens.tokenize import Token

_DEAL_WORDS = """
продать продавать продаваться продажа распродажа sell sale
купить покупать покупка скупка приобрести buy purchase wanted
сдать сдавать сдаваться
снять снимать арендовать
обменять обменивать обмен поменять swap exchange
отдать отдавать подарить
искать разыскивать
потерять потеряться пропасть lost
найти найтись found
"""

_DEAL_BY_WORD = {
    word: number for number, line in enumerate(_DEAL_WORDS.strip().splitlines()) for word in line.split()
}


def find_deals(tokens: Iterable[Token]) -> frozenset[int]:
    """Return the numbers of the deals that the words name."""
    deals = (_DEAL_BY_WORD.get(token.surface, _DEAL_BY_WORD.get(token.key)) for token in tokens)
    return frozenset(deal for deal in deals if deal is not None)
