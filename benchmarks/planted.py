"""Collections for a site: real sentences recombined, template posts among them, and planted pairs, edited copies.

A collection of any size holds the same planted pairs, spread over all of it, so that what is found of them can be
compared from size to size.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from itertools import chain
from multiprocessing import get_context
from random import Random
from typing import NamedTuple

from benchmarks.texts import edited, post, template_posts
from benchmarks.timing import cores

WORDS = 100
TEMPLATE_EVERY = 200
"""One post of so many is of the template."""

PORTION = 5000
SEED, NEW = 11, 12
"""Seeds of the planted posts and of posts that no collection holds."""

MOST_EDITED = 0.7
REPLACED = 0.5
"""Share of the words of a sentence that are replaced. In a million posts every sentence stands some 70 times; left
nearly whole they would make of every post a patchwork of quotations, which posts are not."""


class Layout(NamedTuple):
    """A collection: how many posts, and how many planted pairs are among them. Posts are numbered from 0."""

    size: int
    pairs: int

    @property
    def places(self) -> list[int]:
        """Where the planted posts stand: first and second of every pair in turn."""
        stride = self.size // (2 * self.pairs)
        places = [number * stride for number in range(2 * self.pairs)]
        Random(SEED).shuffle(places)
        return places

    @property
    def planted(self) -> list[tuple[int, int]]:
        """Places of the two posts of every planted pair."""
        places = self.places
        return list(zip(places[::2], places[1::2]))

    def texts(self) -> Iterator[str]:
        """Every post in turn; those of a large collection are made by as many processes as there are cores."""
        known = dict(zip(self.places, chain.from_iterable(planted_pairs(self.pairs))))
        starts = range(0, self.size, PORTION)
        stops = [min(start + PORTION, self.size) for start in starts]
        parts = [
            {place: known[place] for place in range(*ends) if place in known} for ends in zip(starts, stops)
        ]
        if len(starts) == 1:
            yield from portion(0, self.size, known)
            return
        with ProcessPoolExecutor(len(cores()) or 1, get_context("spawn")) as pool:
            yield from chain.from_iterable(pool.map(portion, starts, stops, parts))


def portion(start: int, stop: int, known: Mapping[int, str]) -> list[str]:
    """Posts from number `start` up to `stop`; `known`: the planted ones by number."""
    return [known.get(number) or background(number) for number in range(start, stop)]


def background(number: int) -> str:
    """A post that is not planted."""
    return template(number) if is_template(number) else strange(number)


def strange(number: int, seed: int = 1) -> str:
    """A post like no other: half of its words stand where no sentence of the pool has them."""
    return post(number, WORDS, seed, REPLACED)


def is_template(number: int) -> bool:
    """Whether the post of that number, unless it is planted, is of the template."""
    return number % TEMPLATE_EVERY == 1


def template(number: int) -> str:
    """A post of the one template, which every collection holds many of."""
    return next(template_posts(1, start=number))


def template_copies(layout: Layout, most: int) -> Iterator[tuple[int, str]]:
    """Posts of the template that a collection holds, spread over all of it, and an edited copy of each."""
    planted = set(layout.places)
    numbers = [number for number in range(layout.size) if is_template(number) and number not in planted]
    for number in numbers[:: max(1, len(numbers) // most)][:most]:
        chance = Random(SEED << 33 | number)
        yield number, edited(template(number), chance, MOST_EDITED * chance.random())


def new_post(number: int) -> str:
    """A post that no collection holds; one in five is an edited copy of another such post."""
    if number % 5:
        return strange(number, NEW)
    chance = Random(number)
    return edited(strange(number + 1, NEW), chance, 0.2 * chance.random())


@cache
def planted_pairs(count: int) -> tuple[tuple[str, str], ...]:
    """Posts and edited copies of them that the default scheme, asked directly, calls alike; the same at every run."""
    return tuple(pair for pair, _ in zip(_alike(), range(count)))


def _alike() -> Iterator[tuple[str, str]]:
    from django_neardup.algorithms import get_algorithm
    from django_neardup.text.canonical_text import CanonicalText

    judge, number = get_algorithm("neardup").judge, 0
    while True:
        chance = Random(SEED << 32 | number)
        source = strange(number, SEED)
        copy = edited(source, chance, MOST_EDITED * chance.random())
        if judge(CanonicalText(source), CanonicalText(copy)).is_similar:
            yield source, copy
        number += 1
