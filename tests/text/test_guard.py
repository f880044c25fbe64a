"""The variant guard: a table of worked pairs (guard.txt), and what is particular."""

from __future__ import annotations

from pathlib import Path

import pytest

from django_neardup.algorithms import get_algorithm
from django_neardup.judge.judged_text import JudgedText
from django_neardup.text.canonical_text import CanonicalText

TABLE = Path(__file__).with_name("guard.txt")


def rows() -> list[list[str]]:
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    return [[cell.strip() for cell in line.split("|")] for line in lines if line and not line.startswith("#")]


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[1][:40])
def test_table(row: list[str]) -> None:
    a, b, verdict, *classes = row
    judgement = get_algorithm("neardup").judge(CanonicalText(a), CanonicalText(b))
    assert (judgement.verdict, ",".join(judgement.classes)) == (verdict, "".join(classes)), (
        judgement.evidence()
    )


@pytest.mark.parametrize(
    ("a", "b", "verdict"),
    [
        (
            "Продаются котята, окрас рыжий, возраст два месяца, приучены к лотку, привиты, характер ласковый, торг",
            "Продаются щенята, окрас рыжий, возраст два месяца, приучены к лотку, привиты, характер ласковый, торг",
            "duplicate",
        ),
        (
            "Куртка зимняя, размер М, цвет синий, самовывоз",
            "Куртка зимняя, размер Л, цвет синий, самовывоз",
            "duplicate",
        ),
        (
            "Куплю гараж в кооперативе Луч, рассмотрю все варианты, оплата сразу, документы оформлю сам",
            "Продам гараж в кооперативе Луч, рассмотрю все варианты, оплата сразу, документы оформлю сам",
            "variant",
        ),
    ],
)
def test_an_ignored_name_or_size_does_not_decide_and_a_deal_does(a: str, b: str, verdict: str) -> None:
    ignoring = get_algorithm("neardup", ignored_differences=("name", "latin", "price", "date", "contact"))
    assert ignoring.judge(CanonicalText(a), CanonicalText(b)).verdict == verdict


LONG = (
    "Прошлым летом мы объехали весь полуостров на велосипедах, ночевали в палатке и готовили на костре. " * 8
)


@pytest.mark.parametrize(
    ("a", "b", "verdict"),
    [
        ("Мы не боялись дождя. ", "Мы боялись дождя. ", "duplicate"),
        ("Дорога заняла 12 дней. ", "Дорога заняла 14 дней. ", "variant"),
        ("Нас было двое. ", "Друзей было двое. ", "duplicate"),
    ],
)
def test_in_long_texts_a_figure_that_is_all_the_difference_decides_and_a_word_does_not(
    a: str, b: str, verdict: str
) -> None:
    judgement = get_algorithm("neardup").judge(CanonicalText(LONG + a + LONG), CanonicalText(LONG + b + LONG))
    assert judgement.verdict == verdict


def test_a_title_decides_in_long_texts_too() -> None:
    texts = ["Гараж кирпичный\n" + LONG, "Погреб кирпичный\n" + LONG]
    judgement = get_algorithm("neardup").judge(*map(CanonicalText, texts))
    assert (judgement.verdict, judgement.classes) == ("variant", ("name",))


@pytest.mark.parametrize(
    ("text", "end"),
    [("", 0), ("Продам гараж", 0), ("Продам гараж. " + LONG, 2), (LONG, 0), ("Продам гараж\n" + LONG, 2)],
)
def test_a_title_is_a_short_beginning_of_a_longer_text(text: str, end: int) -> None:
    document = CanonicalText(text)
    assert JudgedText(document, range(len(document))).title_end == end


def test_equal_figures_in_another_order_are_no_contradiction() -> None:
    a = "Цоколь 3 метра, терраса 5 метров, крыша новая, окна на юг"
    b = "Терраса 5 метров, цоколь 3 метра, крыша новая, окна на юг"
    assert get_algorithm("neardup").judge(CanonicalText(a), CanonicalText(b)).verdict == "duplicate"


def test_a_sentence_for_a_sentence_is_an_edit() -> None:
    text = "Продаю дачу у реки. {} Дом тёплый, с печкой, баня во дворе, колодец свой. "
    text += "Соседи живут круглый год, дорогу чистят, до магазина десять минут пешком."
    a, b = (
        CanonicalText(text.format(part)) for part in ("Рядом лес и станция.", "Возможен обмен на машину.")
    )
    judgement = get_algorithm("neardup").judge(a, b)
    assert judgement.verdict == "duplicate"
    assert judgement.classes == ()


def test_given_names_are_contacts() -> None:
    a = "Сдам комнату у метро на длительный срок, мебель и техника есть, хозяйку зовут Марина"
    b = "Сдам комнату у метро на длительный срок, мебель и техника есть, хозяйку зовут Ольга"
    assert get_algorithm("neardup").judge(CanonicalText(a), CanonicalText(b)).verdict == "duplicate"
    strict = get_algorithm("neardup", ignored_differences=("price",)).judge(
        CanonicalText(a), CanonicalText(b)
    )
    assert (strict.verdict, strict.classes) == ("variant", ("contact",))


def test_a_given_name_in_terms_of_the_deal_never_decides() -> None:
    text = "Сдам комнату у метро на длительный срок, мебель и техника есть, спросить {}"
    a, b = (CanonicalText(text.format(name)) for name in ("Марину", "Сергея"))
    assert get_algorithm("neardup", ignored_differences=("price",)).judge(a, b).verdict == "duplicate"
