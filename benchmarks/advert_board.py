"""A board of adverts whose questions are known: ordinary ones, shops with templates, services in many towns, reposts.

A question is what a moderator has to decide once: which adverts are copies of one, and whether the adverts of one
template are different items. The same board is made at every run.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple

from benchmarks.texts import post

SHOPS, SERVICES, TOWNS_OF_A_SERVICE = 200, 50, 50
REPOST_SHARE, SHOP_SHARE = 0.3, 0.16
FULL_SIZE = 50_000
"""Number of adverts for which these numbers are meant. A smaller board has fewer shops, services and towns."""
WORDS, FOOTER_WORDS = 40, 45
COPIES_IN_A_ROW = 3
"""A text has so many copies on average, if it has any."""


def _words(text: str) -> list[str]:
    return text.split()


ITEMS = _words(
    "стол диван кресло шкаф комод кровать тумба полка стеллаж вешалка люстра зеркало ковёр лампа буфет сервант табурет "
    "скамья матрас торшер карниз этажерка банкетка кушетка софа тахта гардероб секретер трюмо пуф стул велосипед "
    "палатка рюкзак лодка мотор насос дрель пила топор"
)
COLOURS = _words("белый чёрный серый коричневый синий зелёный красный бежевый")
ACTIONS = _words("Ремонт Установка Доставка Чистка Аренда")
OBJECTS = _words("холодильников окон мебели бассейнов котлов дверей кондиционеров потолков заборов люстр")
TOWNS = _words(
    "Пермь Казань Самара Омск Томск Тула Уфа Тверь Псков Рязань Калуга Курск Орёл Брянск Киров Пенза Саратов Ижевск "
    "Чебоксары Вологда Кострома Ярославль Иваново Владимир Липецк Тамбов Воронеж Белгород Краснодар Сочи Ростов "
    "Волгоград Астрахань Оренбург Челябинск Тюмень Курган Барнаул Кемерово Новокузнецк Красноярск Иркутск Чита "
    "Хабаровск Владивосток Якутск Магадан Мурманск Архангельск Смоленск"
)
ENDINGS = ("Звоните.", "Пишите в сообщения.", "Торг при осмотре.", "Обмен не предлагать.", "Отвечаю быстро.")


class Advert(NamedTuple):
    """An advert: its text and author, and the number of the advert that it repeats, if it does."""

    text: str
    author: int
    repeats: int | None = None


@dataclass
class AdvertBoard:
    """The adverts in the order of their posting, and the number of questions that they ask."""

    adverts: list[Advert] = field(default_factory=list)
    questions: int = 0


def advert_board(size: int, seed: int = 1) -> AdvertBoard:
    """Return a board of that many adverts, some of them reposted."""
    chance, scale = Random(seed), size / FULL_SIZE
    sources: list[Advert] = []
    shops, services = max(1, round(SHOPS * scale)), max(1, round(SERVICES * scale))
    for shop in range(shops):
        sources += _shop_adverts(shop, round(size * SHOP_SHARE / shops), seed)
    for service in range(services):
        sources += _service_adverts(service, min(TOWNS_OF_A_SERVICE, max(2, round(size * 0.05 / services))))
    templates = shops + services
    ordinary = round(size * (1 - REPOST_SHARE)) - len(sources)
    sources += [Advert(post(number, WORDS, seed + 700), 100_000 + number) for number in range(ordinary)]
    chance.shuffle(sources)
    reposted: list[int] = []
    adverts = list(sources)
    while len(adverts) < size:
        if not reposted or chance.random() < 1 / COPIES_IN_A_ROW:
            reposted.append(chance.randrange(len(sources)))
        source = reposted[-1]
        author = sources[source].author if chance.random() < 0.5 else 900_000 + len(adverts)
        adverts.append(Advert(_reposted(sources[source].text, chance), author, source))
    return AdvertBoard(adverts, templates + len({*reposted}))


def _shop_adverts(shop: int, count: int, seed: int) -> Iterator[Advert]:
    """Yield the goods of a shop under its footer: each another item or another colour."""
    footer = post(shop, FOOTER_WORDS, seed + 800)
    goods = [(item, colour) for item in ITEMS for colour in COLOURS]
    Random(shop).shuffle(goods)
    for item, colour in goods[:count]:
        yield Advert(f"Продаётся {item}, {colour}, новый, в наличии. {footer}", shop)


def _service_adverts(service: int, count: int) -> Iterator[Advert]:
    """Yield one service in many towns."""
    name = f"{ACTIONS[service % len(ACTIONS)]} {OBJECTS[service // len(ACTIONS) % len(OBJECTS)]}"
    words = post(service, WORDS, 900)
    for town in TOWNS[:count]:
        yield Advert(f"{name} в городе {town} и области. {words}", 50_000 + service)


def _reposted(text: str, chance: Random) -> str:
    """Return the text as it is posted again: as it is, with another ending, or with sentences in another order."""
    way = chance.random()
    if way < 0.4:
        return text
    if way < 0.8:
        return f"{text} {chance.choice(ENDINGS)}"
    first, *rest = text.split(". ")
    return ". ".join([first, *rest[1:], *rest[:1]]) if len(rest) > 1 else f"{text} {chance.choice(ENDINGS)}"
