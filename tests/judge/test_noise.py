"""Noisy texts: misread and mistyped words are no other words, and the score is taken on characters."""

from __future__ import annotations

import random

import pytest

from django_neardup.algorithms import get_algorithm
from django_neardup.judge.noise import character_score
from django_neardup.judge.pair_context import PairContext
from django_neardup.judge.word_classes import IGNORED_CLASSES
from django_neardup.text.alignment.align import align
from django_neardup.text.canonical_text import CanonicalText

REPORT = (
    "The steamer arrived in the harbour late on Tuesday evening with ninety passengers and a cargo of sugar, tobacco "
    "and machinery for the northern mills. The captain reported heavy weather off the southern coast and the loss of "
    "one boat. The passengers were taken ashore in the morning and the cargo will be discharged during the week."
)
ANOTHER = (
    "The council met in the town hall on Monday to consider the plans of the new bridge over the river. The engineer "
    "explained the cost of stone and of iron, and several members spoke in favour of waiting until the spring floods "
    "have passed. The question was put off until the next meeting of the council in the month of April."
)
RUSSIAN = (
    "Пароход прибыл в гавань поздно вечером во вторник, имея на борту девяносто пассажиров и груз сахара, табака и "
    "машин для северных фабрик. Капитан сообщил о сильном волнении у южного берега и о потере одной шлюпки. "
    "Пассажиров утром свезли на берег, а груз будет выгружен в течение недели."
)
MISREAD = {
    "a": "u", "e": "c", "h": "b", "i": "l", "m": "rn", "n": "u", "o": "c", "s": "f", "t": "f", "u": "n",
    "а": "л", "е": "с", "и": "н", "н": "и", "о": "с", "п": "л", "р": "г", "т": "г", "у": "ц", "ш": "щ",
}  # fmt: skip


def misread(text: str, share: float, seed: int) -> str:
    """Return a text as a bad scan reads it: this share of its letters is misread."""
    chance = random.Random(seed)
    return "".join(MISREAD.get(letter, letter) if chance.random() < share else letter for letter in text)


def noise(a: str, b: str) -> float | None:
    one, two = CanonicalText(a), CanonicalText(b)
    return character_score(PairContext.build(one, two, align(one, two), True, IGNORED_CLASSES))


@pytest.mark.parametrize("share", [0.08, 0.15])
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    ("text", "algorithm"),
    [(REPORT, "neardup-articles"), (RUSSIAN, "neardup"), (RUSSIAN, "neardup-articles")],
    ids=["english articles", "russian adverts", "russian articles"],
)
def test_a_bad_scan_is_the_same_text(text: str, algorithm: str, seed: int, share: float) -> None:
    judge = get_algorithm(algorithm).judge
    one, two = CanonicalText(text), CanonicalText(misread(text, share, seed))
    judgement = judge(one, two)
    assert judgement.verdict == "duplicate", (judgement.score, judgement.evidence()["differences"][:5])
    assert judge(two, one).score == judgement.score


@pytest.mark.parametrize("seed", range(5))
def test_without_a_dictionary_a_bad_scan_of_an_advert_is_a_doubt_at_worst(seed: int) -> None:
    judgement = get_algorithm("neardup").judge(
        CanonicalText(REPORT), CanonicalText(misread(REPORT, 0.15, seed))
    )
    assert judgement.verdict == "duplicate" or (judgement.verdict == "variant" and judgement.doubtful)


TYPOS = {"хорошем": "хорошм", "экран": "экраан", "батарейка": "батарийка", "коробка": "каробка", "подарок": "падарок",
         "сегодня": "севодня", "звоните": "звонити", "вечером": "вечиром"}  # fmt: skip
ADVERT = (
    "Продаю {} в хорошем состоянии, экран целый, батарейка держит два дня, коробка и зарядка в комплекте, чехол "
    "в подарок, отдам сегодня, звоните вечером"
)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Redmi Note A52", "Realme Note A53"), ("телефон А52", "телефон А53"), ("сваю С140.35", "сваю С140.30"),
        ("Yamaha XT500", "Yamaha XT600"), ("ВАЗ-2107", "ВАЗ-2106"), ("монитор 6.1 дюйма", "монитор 6.7 дюйма"),
        ("Merida", "Merita"), ("дом 14-а", "дом 14-б"), ("диван", "комод"), ("Nokia Lumia", "Nokia Luna"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("typo_count", [0, 3, 8])
def test_typos_hide_no_other_item(a: str, b: str, typo_count: int) -> None:
    clean, noisy = ADVERT.format(a), ADVERT.format(b)
    for word, typo in list(TYPOS.items())[:typo_count]:
        noisy = noisy.replace(word, typo)
    assert get_algorithm("neardup").judge(CanonicalText(clean), CanonicalText(noisy)).verdict == "variant"


def test_typos_hide_no_other_title() -> None:
    body = ADVERT.format("телефон")
    noisy = body
    for word, typo in TYPOS.items():
        noisy = noisy.replace(word, typo)
    heads = "Телефон XT500", "Телефон XT600"
    a, b = (
        CanonicalText(f"{head}\n{text}", head=len(head))
        for head, text in zip(heads, (body, noisy), strict=True)
    )
    assert get_algorithm("neardup").judge(a, b).verdict == "variant"


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Labrador for sale in Dorchester, three years old, brown coat and amber eyes, good with children, "
         "collection from Wareham on any day",
         "Labradoodle for sale in Manchester, three years old, brownish coat and umber eyes, good with children, "
         "collection from Farnham on any day"),
        ("Flat at Harley Street near Paddington, first floor, modern kitchen, two rooms, garden, deposit asked",
         "Flat at Hartley Street near Teddington, fifth floor, moderate kitchen, two rooms, garden, deposit asked"),
        ("We look for a waiter for a hotel in Kingston, evening shift, start in March, ask for Mr Harper at noon",
         "We look for a waitress for a hostel in Kensington, morning shift, start in May, ask for Mr Hooper at noon"),
    ],
)  # fmt: skip
def test_clean_texts_of_similar_words_are_no_scans(a: str, b: str) -> None:
    assert get_algorithm("neardup").judge(CanonicalText(a), CanonicalText(b)).verdict != "duplicate"


def test_a_long_noisy_text_takes_little_time() -> None:
    """Many long gaps: each costs little, and its characters are limited."""
    words = [f"слово{number % 700}" for number in range(6_000)]
    noisy = [word if number % 300 < 3 else misread(word, 0.5, number) for number, word in enumerate(words)]
    assert get_algorithm("neardup-articles").judge(
        CanonicalText(" ".join(words)), CanonicalText(" ".join(noisy))
    )


@pytest.mark.parametrize("seed", range(5))
def test_a_bad_scan_of_another_text_is_another(seed: int) -> None:
    assert noise(REPORT, misread(ANOTHER, 0.1, seed)) is None
    assert noise(misread(REPORT, 0.1, seed), misread(ANOTHER, 0.1, seed + 50)) is None


@pytest.mark.parametrize(
    ("frame", "a", "b"),
    [
        ("Nintendo DS {} portable gaming system. Nintendo DS {} with two screens and a stylus, {} box, {} charger "
         "and a game, one owner from new", "crimson", "cobalt"),
        ("Продам столик {} для гостиной, ножки {}, крышка {}, полка {}, собран, доставка по городу, состояние новое",
         "дубовый", "буковый"),
    ],
)  # fmt: skip
def test_real_words_that_look_alike_are_no_noise(frame: str, a: str, b: str) -> None:
    """An advert that repeats a name has one difference, and it is another item."""
    texts = [frame.format(*[word] * 4) for word in (a, b)]
    assert noise(*texts) is None
    assert get_algorithm("neardup").judge(*map(CanonicalText, texts)).verdict == "variant"


def test_a_code_among_misread_words_is_read_as_noise() -> None:
    a = "The tenant shall return the furnished room in the same condition and pay all modern heating bills"
    b = "The tenant shall retum the fumished room in the same condition and pay all modem heating bi11s"
    assert get_algorithm("neardup").judge(CanonicalText(a), CanonicalText(b)).verdict == "duplicate"


def test_another_real_word_still_decides_among_misread_ones() -> None:
    frame = (
        "Сдаётся комната в тихом районе, {} этаж, мебель и холодильник, хозяйка живёт {}, оплата помесячно, {} двор, "
        "остановка рядом, {} соседи, залог обсуждается"
    )
    a = frame.format("второй", "отдельно", "зелёный", "спокойные")
    noisy = (
        a.replace("районе", "райсне").replace("холодильник", "холсдильннк").replace("остановка", "сстансвка")
    )
    noisy = noisy.replace("помесячно", "псмесячнс").replace("обсуждается", "сбсуждастся")
    judge = get_algorithm("neardup").judge
    assert judge(CanonicalText(a), CanonicalText(noisy)).verdict == "duplicate"
    other = noisy.replace("комната", "квартира")
    assert judge(CanonicalText(a), CanonicalText(other)).verdict == "variant"
