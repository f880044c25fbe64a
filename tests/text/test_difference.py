from __future__ import annotations

import pytest

from django_neardup.judge.differences import (
    Difference,
    find_differences,
    find_passages,
    text_offsets,
)
from django_neardup.judge.pair_context import PairContext
from django_neardup.judge.verdict import decisive_meanings, find_meanings
from django_neardup.judge.word_classes import IGNORED_CLASSES
from django_neardup.text.alignment.align import align
from django_neardup.text.canonical_text import CanonicalText


def found(a: str, b: str) -> list[Difference]:
    first, second = CanonicalText(a), CanonicalText(b)
    alignment = align(first, second)
    context = PairContext.build(first, second, alignment, True, IGNORED_CLASSES)
    decisive = decisive_meanings(context, find_meanings(context))
    return find_differences(first, second, alignment, decisive)


CASES = """
Продам гараж, цена 500 р., торг уместен | Продам гараж, цена 700 р., торг уместен | price
Продам гараж кирпичный, тел. 8-903-111-22-33, торг | Продам гараж кирпичный, тел. 8-916-444-55-66, торг | contact
Концерт 12 мая в нашем клубе, приходите все | Концерт 14 июня в нашем клубе, приходите все | date
Сваи С140.35 железобетонные новые | Сваи С90.30 железобетонные новые | code!
Участок 10 соток у реки, газ рядом | Участок 12 соток у реки, газ рядом | measure!
Сдам квартиру на 5 этаже, дом новый | Сдам квартиру на 7 этаже, дом новый | number!
Продам угловой диван с ящиком, дёшево | Продам прямой диван с ящиком, дёшево | name!
Продам белый шкаф с зеркалом, дёшево | Продам чёрный шкаф с зеркалом, дёшево | opposite!
Сдам гараж с ямой на длительный срок | Продам гараж с ямой на длительный срок | deal!
Машина не бита, один хозяин, торг | Машина бита, один хозяин, торг | negation!
Мы весело доехали туда и сразу вернулись | Мы шумно доехали туда и сразу вернулись | word
Продам гараж в центре, торг | Продам гараж в центре города, торг | only
"""


@pytest.mark.parametrize("line", CASES.strip().splitlines(), ids=lambda line: line.split("|")[2].strip())
def test_kinds(line: str) -> None:
    a, b, kind = (part.strip() for part in line.split("|"))
    assert [item.kind + "!" * item.is_decisive for item in found(a, b)] == [kind]


def test_places_are_those_of_the_texts_as_written() -> None:
    a = "<b>Продам</b> СВАИ &quot;С140.35&quot;, новые, со склада"
    b = "Продам сваи С90.30, новые, со склада"
    (item,) = found(a, b)
    assert (a[slice(*item.span_a)], b[slice(*item.span_b)]) == ("С140.35", "С90.30")
    assert item.swap_sides().span_a == item.span_b
    assert item.as_dict()["a"] == {"text": "С140.35", "span": list(item.span_a)}


def test_an_absent_side_has_the_place_it_would_stand_at() -> None:
    a, b = "Продам гараж в центре, торг", "Продам гараж в центре города, торг"
    (item,) = found(a, b)
    assert item.span_a == (a.index("центре") + 6,) * 2
    assert (item.text_a, item.text_b) == ("", "города")


def test_every_unaligned_word_is_told_once() -> None:
    a = "раз два три лес дом река кот пёс мост"
    b = "мост раз дом река лампа два окно"
    first, second = CanonicalText(a), CanonicalText(b)
    alignment = align(first, second)
    items = find_differences(first, second, alignment)
    told = sorted(i for item in items for i in range(*item.token_range_a))
    assert told == [i for i, place in enumerate(alignment.forward) if place < 0]
    told = sorted(i for item in items for i in range(*item.token_range_b))
    assert told == [i for i, place in enumerate(alignment.backward) if place < 0]


def test_shared_ranges_inside_a_decisive_difference_belong_to_it() -> None:
    (item,) = found("Щебень фракция 5-20, доставка по городу", "Щебень фракция 20-40, доставка по городу")
    assert (item.kind, item.text_a, item.text_b) == ("number", "5 20", "20 40")


def test_passages_follow_the_left_text_and_give_offsets() -> None:
    a = "Утром пошёл сильный дождь с градом. Вечером мы пили чай на веранде."
    b = "Вечером мы пили чай на веранде! Утром пошёл сильный дождь с градом!"
    first, second = CanonicalText(a), CanonicalText(b)
    shared = find_passages(first, second, align(first, second))
    assert [(a[slice(*p.span_a)], b[slice(*p.span_b)]) for p in shared] == [
        ("Утром пошёл сильный дождь с градом",) * 2,
        ("Вечером мы пили чай на веранде",) * 2,
    ]
    assert [passage.word_count for passage in shared] == [6, 6]


@pytest.mark.parametrize(
    ("span", "expected"), [((0, 0), (2, 2)), ((0, 1), (2, 5)), ((1, 1), (5, 5)), ((2, 2), (9, 9))]
)
def test_offsets(span: tuple[int, int], expected: tuple[int, int]) -> None:
    assert text_offsets(CanonicalText("  кот дом").tokens, span) == expected


def test_a_long_difference_is_cut() -> None:
    (item,) = found("начало текста " + "слово " * 80 + "конец текста", "начало текста конец текста")
    assert len(item.text_a) == 120
    assert item.text_a.endswith("…")
