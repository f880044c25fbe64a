"""All adverts of the board, the repeats among them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

from content.cars import cars
from content.edits import EDITS, is_russian
from content.flats import flats
from content.people import people
from content.piles import piles
from content.shapes import Advert, Person
from content.tutors import tutors

HERE = Path(__file__).parent
ANOTHER_SELLER = {"other", "latin", "words"}
CHEAPER = 0.93
_NO_COPIERS = {"demo", "promo_okna", "language_house", "hr_ural", "zavod_zhbi"}
_TITLES = ["{0}", "{0}", "{0}!", "{1}"]


def adverts(rng: Random) -> list[Advert]:
    """Every advert and its repeats, an original before its repeats."""
    generated = [*piles(), *cars(rng), *flats(rng), *tutors()]
    found: list[Advert] = []
    for original, again in [*generated, *_singles("singles_ru.txt"), *_singles("singles_en.txt")]:
        found += [original, *_repeats(original, again.split(), rng)]
    return found


def _singles(name: str) -> Iterator[tuple[Advert, str]]:
    for block in (HERE / name).read_text(encoding="utf-8").split("\n@ ")[1:]:
        head, title, text = block.strip().split("\n", 2)
        category, city, price, seller, *again = (part.strip() for part in head.split("|"))
        amount = None if price == "-" else int(price)
        yield Advert(category, city, amount, seller, title, text.strip()), " ".join(again)


def _repeats(original: Advert, kinds: list[str], rng: Random) -> Iterator[Advert]:
    strangers = _strangers(original)
    for number, kind in enumerate(kinds, start=1):
        advert = replace(original, text=EDITS[kind](original.text, rng), repeat=number)
        if kind in ANOTHER_SELLER:
            seller = rng.choice(strangers)
            title = rng.choice(_TITLES).format(original.title, original.title.upper())
            city = rng.choice([original.city, seller.city])
            advert = replace(advert, title=title, seller=seller.username, city=city)
        if kind == "price" and original.price:
            advert = _cheaper(advert, original.price)
        yield advert


def _strangers(original: Advert) -> list[Person]:
    """Who may copy an advert: people who write in its language, and not firms."""
    russian = is_russian(original.text)
    return [
        person
        for person in people()
        if person.username not in {original.seller, *_NO_COPIERS} and is_russian(person.name) == russian
    ]


def _cheaper(advert: Advert, before: int) -> Advert:
    step = 10 ** max(0, len(str(before)) - 3)
    now = max(step, round(before * CHEAPER / step) * step)
    return replace(advert, price=now, text=advert.text.replace(str(before), str(now)))
