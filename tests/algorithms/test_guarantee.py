"""What the default scheme promises: a passage that two texts share makes them candidates.

Of 14 words in texts of up to 800, of 26 in texts of up to 1 600, and so on: one word more than the window has runs
of three words in it.  Whatever stands around the passage, and unless it is of stop words only.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from django_neardup.algorithms import get_algorithm
from django_neardup.algorithms.default.neardup_keys import DEFAULT_WINDOW, GRAM_WORDS, window_for
from django_neardup.text.canonical_text import CanonicalText
from django_neardup.text.tokens.stopwords import STOP_WORDS
from django_neardup.text.word_lists import word_set
from tests.fuzzing import examples

SERIES = [(800, 14), (1600, 26), (3100, 50), (6200, 98)]
SCHEMES = ("neardup", "neardup-articles")
OTHERS = [("winnowing", 1400, 8), ("containment", 500, 11), ("long-passages", 400, 8)]
STOPS = sorted(word_set("и в на что это как по для с от до или же бы если там уже"))
FIGURES = ["5", "12", "1500", "С140.35", "DSC-W120", "DDR4", "220В"]
LANGUAGE = sorted(
    word_set(
        """
        дом гора река окно дверь стол лампа книга письмо город улица мост поезд вагон билет касса чай сахар хлеб соль
        рыба лодка весло берег песок камень глина печь труба крыша забор сарай корова лошадь собака кошка мышь амбар
        зерно мельница плотник кузнец сапожник учитель доктор солдат матрос капитан король царевна сказка песня гармонь
        пишет едет стоит лежит несёт ломает строит варит шьёт поёт молчит спорит ждёт ищет находит теряет покупает
        красный синий новый старый тёплый мокрый длинный узкий лёгкий тихий острый деревянный железный стеклянный
        server client letter window garden bridge river station ticket market number color summer winter teacher doctor
        """
    )
)


def invented(count: int, seed: int) -> list[str]:
    """Words that no dictionary has."""
    source = random.Random(seed)
    return [
        "".join(source.choice("бвгдзклмнпрст") + source.choice("аоуи") for _ in range(4))
        for _ in range(count)
    ]


INVENTED, FOREIGN = invented(400, 1), invented(400, 2)
Words = Callable[[random.Random, int, list[str]], list[str]]

# --- passages of `count` words, and what stands around them, hostile on purpose ---


def plain(source: random.Random, count: int, _: list[str]) -> list[str]:
    return source.choices(LANGUAGE + INVENTED, k=count)


def mixed(source: random.Random, count: int, _: list[str]) -> list[str]:
    return source.choices(LANGUAGE + STOPS + STOPS + FIGURES, k=count)


def stop_but_one(source: random.Random, count: int, _: list[str]) -> list[str]:
    place = source.randrange(count) if count else None
    return [source.choice(LANGUAGE if here == place else STOPS) for here in range(count)]


def stop_words(source: random.Random, count: int, _: list[str]) -> list[str]:
    return source.choices(STOPS, k=count)


def one_word(source: random.Random, count: int, _: list[str]) -> list[str]:
    return [source.choice(LANGUAGE)] * count


def few_words(source: random.Random, count: int, _: list[str]) -> list[str]:
    """Periodic: two to five words over and over."""
    period = source.choices(LANGUAGE + STOPS, k=source.randint(2, 5))
    return (period * (count // len(period) + 1))[:count]


def scraps(source: random.Random, count: int, passage: list[str]) -> list[str]:
    """Parts of the passage, all but a word or two of it, again and again in any order."""
    found: list[str] = []
    while len(found) < count:
        start = source.randrange(3)
        found += [*passage[start : len(passage) - source.randrange(3)], source.choice(FOREIGN)]
    return found[:count]


PASSAGES: dict[str, Words] = {
    "plain": plain, "mixed": mixed, "stop but one": stop_but_one, "one word": one_word, "few words": few_words,
}  # fmt: skip
AROUND: dict[str, Words] = {**PASSAGES, "stop": stop_words, "scraps": scraps}


@st.composite
def texts(draw: st.DrawFn, limit: int, need: int) -> tuple[list[str], str, str]:
    """The passage and two texts of at most `limit` words that hold it: at the start, at the end, inside, alone."""
    source = random.Random(draw(st.integers(0, 1 << 30)))
    passage = PASSAGES[draw(st.sampled_from(sorted(PASSAGES)))](source, need, [])
    found = []
    for _ in range(2):
        room = limit - need
        before = draw(st.one_of(st.just(0), st.integers(0, room), st.integers(0, min(room, 60))))
        after = draw(st.one_of(st.just(0), st.just(room - before), st.integers(0, room - before)))
        around = AROUND[draw(st.sampled_from(sorted(AROUND)))]
        found.append(" ".join([*around(source, before, passage), *passage, *around(source, after, passage)]))
    return passage, found[0], found[1]


def runs(document: CanonicalText, length: int) -> Iterator[tuple[str, ...]]:
    keys = [token.key for token in document.tokens]
    return (tuple(keys[start : start + length]) for start in range(len(keys) - length + 1))


def shared_keys(a: CanonicalText, b: CanonicalText, scheme: str = "neardup") -> int:
    algorithm = get_algorithm(scheme)
    assert algorithm.min_shared == 1
    return len(set(algorithm.keys(a)) & set(algorithm.keys(b)))


def share_a_passage(a: CanonicalText, b: CanonicalText, need: int) -> bool:
    """As the tokens tell, by the definition alone: a run of `need` of them, not all of them stop words."""
    return any(set(run) - STOP_WORDS for run in set(runs(a, need)) & set(runs(b, need)))


def holds(a: str, b: str, limit: int, need: int) -> None:
    one, other = CanonicalText(a), CanonicalText(b)
    assume(max(len(one), len(other)) <= limit)
    assume(share_a_passage(one, other, need))
    for scheme in SCHEMES:
        assert shared_keys(one, other, scheme), scheme


@pytest.mark.parametrize(("limit", "need"), SERIES)
def test_the_series_follows_from_the_window(limit: int, need: int) -> None:
    assert window_for(limit - GRAM_WORDS + 1, DEFAULT_WINDOW) + GRAM_WORDS - 1 == need
    assert window_for(2 * limit, DEFAULT_WINDOW) + GRAM_WORDS - 1 > need


def searching(count: int) -> settings:
    return examples(
        count,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
    )


@searching(200)
@given(texts(800, 14))
@example(([], " ".join(INVENTED[:14]), " ".join(INVENTED[:14])))
@example(([], " ".join(INVENTED[:14] + LANGUAGE * 8), " ".join(LANGUAGE[::-1] * 8 + INVENTED[:14])))
def test_a_passage_of_14_words_in_texts_of_800(made: tuple[list[str], str, str]) -> None:
    holds(made[1], made[2], 800, 14)


@searching(60)
@given(texts(1600, 26))
def test_a_passage_of_26_words_in_texts_of_1600(made: tuple[list[str], str, str]) -> None:
    holds(made[1], made[2], 1600, 26)


@searching(15)
@given(texts(3100, 50))
def test_a_passage_of_50_words_in_texts_of_3100(made: tuple[list[str], str, str]) -> None:
    holds(made[1], made[2], 3100, 50)


@searching(10)
@given(texts(6200, 98))
def test_a_passage_of_98_words_in_texts_of_6200(made: tuple[list[str], str, str]) -> None:
    holds(made[1], made[2], 6200, 98)


@pytest.mark.parametrize(("name", "limit", "need"), OTHERS)
@searching(40)
@given(data=st.data())
def test_other_algorithms_that_choose_by_windows(
    name: str, limit: int, need: int, data: st.DataObject
) -> None:
    """A window of w runs of k words misses no passage of w + k - 1 (Schleimer, Wilkerson, Aiken, 2003)."""
    _, a, b = data.draw(texts(limit, need))
    one, other = CanonicalText(a), CanonicalText(b)
    assume(max(len(one), len(other)) <= limit and share_a_passage(one, other, need))
    assert shared_keys(one, other, name)


@searching(60)
@given(texts(1600, 26), st.integers(0, 40))
def test_a_long_text_and_a_short_one(made: tuple[list[str], str, str], more: int) -> None:
    """A passage of the longer text's length, whatever the length of the shorter one."""
    passage, long, _ = made
    holds(long, " ".join([*FOREIGN[:more], *passage, *FOREIGN[more : 2 * more]]), 1600, 26)


def test_the_texts_are_as_hostile_as_they_seem() -> None:
    """Most of the made pairs do share a passage: what `assume` leaves out is the exception."""
    source, kept, made = random.Random(1), 0, 0
    for passage_of in PASSAGES.values():
        for around in AROUND.values():
            passage = passage_of(source, 14, [])
            a, b = (
                CanonicalText(
                    " ".join([*around(source, 100, passage), *passage, *around(source, 90, passage)])
                )
                for _ in range(2)
            )
            kept, made = kept + share_a_passage(a, b, 14), made + 1
    assert kept >= 0.8 * made


def test_stop_words_alone_are_no_passage() -> None:
    passage = " ".join(STOPS[:14])
    a, b = (
        CanonicalText(f"{' '.join(own[:40])} {passage} {' '.join(own[40:80])}") for own in (INVENTED, FOREIGN)
    )
    assert not shared_keys(a, b)


def test_texts_with_nothing_in_common_share_no_key() -> None:
    """Or a key that all texts have would keep every promise."""
    assert not shared_keys(CanonicalText(" ".join(INVENTED)), CanonicalText(" ".join(FOREIGN)))


def test_a_word_less_is_not_always_enough() -> None:
    """The promise is as strong as it can be: some passage of 13 words between other words goes unnoticed."""
    source = random.Random(2)
    for _ in range(200):
        passage = " ".join(source.sample(LANGUAGE, 13))
        a = CanonicalText(
            " ".join([*source.choices(INVENTED, k=80), passage, *source.choices(INVENTED, k=80)])
        )
        b = CanonicalText(" ".join([*source.choices(FOREIGN, k=80), passage, *source.choices(FOREIGN, k=80)]))
        if share_a_passage(a, b, 13) and not shared_keys(a, b):
            return
    pytest.fail("every passage of 13 words was found: the window could be wider")
