"""Texts that the tests of the shingle algorithms share, and what every one of those algorithms must do."""

from __future__ import annotations

import json
import random

from django_neardup.algorithms import Algorithm, get_algorithm
from django_neardup.text.canonical_text import CanonicalText

FLAT = (
    "Продаю просторную квартиру в центре города, рядом школа, детский сад и парк. Дом кирпичный, тёплый, пятый этаж "
    "из девяти. Ремонт сделан два года назад, окна пластиковые, балкон застеклён, мебель остаётся новому хозяину. "
    "Соседи спокойные, двор закрыт, есть место для машины. Документы готовы, возможна ипотека. Звоните в любое время, "
    "покажу квартиру вечером или в выходной."
)
SENTENCES = FLAT.split(". ")
MOVED = ". ".join([*SENTENCES[3:], *SENTENCES[:3]])
QUOTING = (
    "Вчера на форуме человек спрашивал, чем отличаются объявления о жилье. Вот, например, что пишут: "
    + FLAT
    + " И так на каждой странице, друзья мои, хоть плачь. Кто придумал этот стиль, неизвестно, а читать его приходится "
    "каждый день, пока выбираешь себе дом. Мы с женой смотрели уже сорок вариантов, и ни один не подошёл: то далеко до "
    "работы, то шумно, то соседи с собакой, то хозяин передумал продавать."
)
KITTEN = (
    "Отдам котёнка в добрые руки, мальчик, два месяца, к лотку приучен, ест всё, очень ласковый и игривый, привит, "
    "мама крысоловка, забрать можно на Васильевском острове после семи вечера."
)
HOSTILE = [
    "",
    " ",
    "!",
    "\0",
    "\ud800",
    "🙂",
    "и",
    "<b></b>",
    "слово",
    "и не на",
    "ю" * 50,
    "а б в",
    "1 2 3",
    "кот\0пёс",
]


def words(count: int, seed: int = 1) -> list[str]:
    """Different words of nine letters that no dictionary holds."""
    chosen = random.Random(seed)
    found: dict[str, None] = {}
    while len(found) < count:
        found["".join(chosen.choice("бвгджзклмнпрст") + chosen.choice("аоуие") for _ in range(4)) + "к"] = (
            None
        )
    return list(found)


def text(count: int, seed: int = 1) -> str:
    return " ".join(words(count, seed))


def score(algorithm: Algorithm, a: str, b: str) -> float:
    """By the measure on payloads; the same both ways."""
    ours, theirs = algorithm.payload(CanonicalText(a)), algorithm.payload(CanonicalText(b))
    found = algorithm.measure(ours, theirs)
    assert found == algorithm.measure(theirs, ours)
    assert 0 <= found <= 1
    return found


def verdict(algorithm: Algorithm, a: str, b: str) -> str:
    return algorithm.judge(CanonicalText(a), CanonicalText(b)).verdict


def shared(algorithm: Algorithm, a: str, b: str) -> int:
    """Number of equal keys."""
    return len(set(algorithm.keys(CanonicalText(a))) & set(algorithm.keys(CanonicalText(b))))


def is_candidate(algorithm: Algorithm, a: str, b: str) -> bool:
    """Whether the pair is found by its keys and passes the screen."""
    first, second = CanonicalText(a), CanonicalText(b)
    screened = algorithm.screen(algorithm.payload(first), algorithm.payload(second))
    count = shared(algorithm, a, b)
    return count >= algorithm.min_shared and algorithm.should_judge(screened, count, len(first), len(second))


def check_contract(algorithm: Algorithm) -> None:
    """Parameters make the algorithm again; keys are what they must be; no text makes it raise or look like another."""
    parameters = json.loads(json.dumps(algorithm.parameters()))
    name = parameters.pop("algorithm")
    parameters.pop("version")
    again = get_algorithm(name, **parameters)
    assert type(again) is type(algorithm) and again.parameters() == algorithm.parameters()
    for each in (FLAT, QUOTING, *HOSTILE):
        document = CanonicalText(each)
        keys = algorithm.keys(document)
        assert keys == again.keys(CanonicalText(each)) and len(set(keys)) == len(keys)
        assert all(0 <= key < 1 << 64 for key in keys)
        assert algorithm.payload(document) == again.payload(CanonicalText(each))
    for each in HOSTILE:
        assert score(algorithm, FLAT, each) < 0.1
        assert verdict(algorithm, FLAT, each) == "none"
        assert algorithm.judge(CanonicalText(each), CanonicalText(each)).verdict == (
            "duplicate" if CanonicalText(each).word_count else "none"
        )
    assert algorithm.keys(CanonicalText("")) == []
    assert score(algorithm, FLAT, FLAT) == 1.0
