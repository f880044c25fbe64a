"""Posts in any number, the same at every run: real sentences drawn at random, and copies of posts with edits.

The sentences are Russian, of the folder of labelled texts that NEARDUP_DATA names, else of tests/data, as a reader
sees them: without tags, BBCode and entities (`html` adds such).  A post is a run of whole sentences up to the wanted
number of words, of which 12 % are replaced by words drawn from all of them, so that posts that share a sentence do not
share long runs, and words keep their frequencies.  A post is made from its seed and number alone, so that 10^6 of them
need no memory, and any of them can be made again.
"""

from __future__ import annotations

import gzip
import json
import os
import re
from collections.abc import Iterator, Sequence
from functools import cache
from html import unescape
from pathlib import Path
from random import Random
from typing import NamedTuple

from tests.services import ROOT

OWN = ROOT / "tests" / "data"
REPLACED = 0.12
SPREAD = 0.35
FEWEST, MOST = 4, 60
_SENTENCE = re.compile(r"(?<=[.!?…])\s+|\n+")
_CYRILLIC = re.compile("[а-яёА-ЯЁ]")
_TAG = re.compile(r"</?[a-zA-Z!?][^<>]{0,500}>|\[/?[a-zA-Z*][^\[\]\n]{0,200}\]")


class Pool(NamedTuple):
    """Sentences, each as its words, and all of their words, as often as they occur."""

    sentences: Sequence[Sequence[str]]
    words: Sequence[str]


class Copy(NamedTuple):
    """An edited copy: its text, and the number of the post that it was made of."""

    text: str
    source: int


def folder() -> Path:
    """Where the sentences come from."""
    return Path(os.environ.get("NEARDUP_DATA") or OWN)


@cache
def described() -> str:
    """A line that says what posts are made of."""
    kind = "the project's own texts" if folder() == OWN else "a folder of labelled texts"
    made = pool()
    forms = len({word.lower() for word in made.words})
    return (
        f"{kind}: {len(made.sentences):,} sentences, {len(made.words):,} words, {forms:,} forms, recombined"
    )


@cache
def pool() -> Pool:
    """The sentences, each once, in the order of their files."""
    sentences: dict[str, None] = {}
    for text in texts(folder()):
        sentences.update(dict.fromkeys(_sentences(_as_read(text))))
    split = [sentence.split() for sentence in sentences]
    return Pool(split, [word for words in split for word in words])


def texts(place: Path) -> Iterator[str]:
    """Every text of a folder of labelled texts but made variants of others."""
    for path in sorted(place.glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for record in map(json.loads, lines):
                if record.get("rec") == "pair":
                    yield record["a"]["text"]
                elif "rec" not in record and "text" in record:
                    yield record["text"]


def post(number: int, words: int, seed: int = 1, replaced: float = REPLACED) -> str:
    """One post of about so many words: within a third of it. `replaced`: the share of the words that are others."""
    chance = Random(seed << 40 | number)
    known, roll = pool(), chance.random
    wanted = max(FEWEST, words * (1 + SPREAD * (2 * roll() - 1)))
    made: list[str] = []
    while len(made) < wanted:
        made += known.sentences[int(roll() * len(known.sentences))]
    for place in range(len(made)):
        if roll() < replaced:
            made[place] = known.words[int(roll() * len(known.words))]
    return " ".join(made[: int(wanted) + MOST // 4])


def posts(count: int, words: int, seed: int = 1, start: int = 0) -> Iterator[str]:
    """Posts number `start` and on."""
    return (post(number, words, seed) for number in range(start, start + count))


def copies(count: int, of: int, words: int, seed: int = 1) -> Iterator[Copy]:
    """Edited copies of the first `of` posts of that seed, over the whole range of likeness."""
    for number in range(count):
        chance = Random(-(seed << 40 | number) - 1)
        source = chance.randrange(of)
        yield Copy(edited(post(source, words, seed), chance, 0.7 * chance.random() ** 1.5), source)


def edited(text: str, chance: Random, level: float) -> str:
    """An edited copy. `level`, 0..1: about the share of runs of three words that are disturbed.

    Words are replaced, a part is cut out, a foreign one put in, or a block moved."""
    words = text.split()
    way = chance.random()
    if way < 0.5:
        _replace(words, chance, len(words) * level / 3)
    elif way < 0.7:
        cut = max(1, int(len(words) * level))
        start = chance.randrange(max(1, len(words) - cut))
        del words[start : start + cut]
    elif way < 0.9:
        place = chance.randrange(len(words))
        words[place:place] = _foreign(chance, max(1, int(len(words) * level)))
    else:
        _move(words, chance)
        _replace(words, chance, len(words) * level / 4)
    return " ".join(words)


def quoting(number: int, words: int, share: float, seed: int = 1) -> Copy:
    """A post a `share` of which is a run of words of post `number`; the rest is foreign."""
    chance = Random(-(seed << 40 | number) - 2)
    source = post(number, words, seed).split()
    quoted = max(1, int(len(source) * share))
    start = chance.randrange(len(source) - quoted + 1)
    around = post(number, words - quoted, seed + 1000).split()
    place = chance.randrange(len(around))
    return Copy(" ".join([*around[:place], *source[start : start + quoted], *around[place:]]), number)


def template_posts(count: int, seed: int = 1, start: int = 0) -> Iterator[str]:
    """Posts of one template of some 60 words, in which figures and a few words differ."""
    fixed = (*post(0, 30, seed + 500).split()[:28], *post(1, 30, seed + 500).split()[:28])
    for number in range(start, start + count):
        chance = Random(seed << 41 | number)
        middle = [
            _word(chance),
            str(chance.randrange(1, 900)),
            _word(chance),
            f"{chance.randrange(1, 99)}00 руб.",
        ]
        yield " ".join([*fixed[:28], *middle, *fixed[28:]])


def html(text: str, chance: Random, tags: int = 38) -> str:
    """The same text as an editor on a site stores it: about so many tags, an entity here and there."""
    words = text.split()
    pairs = max(1, (tags - 6) // 2)
    size = max(1, len(words) // pairs)
    made = []
    for number, start in enumerate(range(0, len(words), size)):
        piece = " ".join(words[start : start + size])
        before, behind = _TAGS[number % len(_TAGS)]
        made.append(f"{before}{piece}{behind}")
    return f'<div class="post"><p>{"&nbsp;".join(made[:2])} {" ".join(made[2:])}</p></div><br/>'


_TAGS = [
    ("<b>", "</b>"),
    ('<span style="color:#333">', "</span>"),
    ("<p>", "</p>"),
    ('<a href="/posts/12/?page=2" title="подробнее">', "</a>"),
    ("<em>", "</em>,"),
    ("<li>", "</li>"),
]


def _as_read(text: str) -> str:
    """Without tags, BBCode and entities, those that other entities stand for too."""
    while (seen := unescape(_TAG.sub(" ", text))) != text:
        text = seen
    return text


def _sentences(text: str) -> Iterator[str]:
    for found in _SENTENCE.split(text):
        sentence = " ".join(found.split())
        words = sentence.count(" ") + 1
        if FEWEST <= words <= MOST and len(_CYRILLIC.findall(sentence)) > len(sentence) / 2:
            yield sentence


def _word(chance: Random) -> str:
    return chance.choice(pool().words)


def _foreign(chance: Random, count: int) -> list[str]:
    return [_word(chance) for _ in range(count)]


def _replace(words: list[str], chance: Random, count: float) -> None:
    for _ in range(max(1, int(count))):
        words[chance.randrange(len(words))] = _word(chance)


def _move(words: list[str], chance: Random) -> None:
    size = max(1, len(words) // 4)
    start = chance.randrange(max(1, len(words) - size))
    block = words[start : start + size]
    del words[start : start + size]
    place = chance.randrange(len(words) + 1)
    words[place:place] = block
