"""How sure the judge is: tiers of rules, P(same), and what both make of a verdict."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from django_neardup.algorithms import get_algorithm
from django_neardup.algorithms.base import Judgement
from django_neardup.evaluation.certainty_fit import (
    MAX_UPPER_BOUND,
    MIN_FIRINGS,
    MIN_LOWER_BOUND,
    MIN_SETS,
    SURE_BY_DEFINITION,
    wilson_bounds,
)
from django_neardup.judge.certainty import (
    ADVERTS,
    ARTICLES,
    DOUBTFUL,
    FILE,
    OFF,
    SIGNS,
    SITE_KINDS,
    SURE,
    Features,
    certainty_of,
    character_similarity,
)
from django_neardup.judge.rules import RULE_NAMES
from django_neardup.reports.messages import RULE_REASONS
from django_neardup.text.canonical_text import CanonicalText
from tests.judge.judged_pairs import NEWS, deciding_rules, judge, read_pairs

CONTENT = json.loads(FILE.read_text("utf-8"))
RULES = [(kind, name) for kind in SITE_KINDS for name in RULE_NAMES]
LONG = (
    "Вчера вечером в городе прошёл сильный дождь, улицы залило, трамваи встали, жители добирались домой пешком. "
    "К утру вода ушла, и движение восстановили. Метеорологи обещают, что в выходные осадков не будет совсем. "
)


def judge_articles(a: str, b: str) -> Judgement:
    return get_algorithm("neardup-articles").judge(CanonicalText(a), CanonicalText(b))


@pytest.mark.parametrize(("kind", "name"), RULES)
def test_a_tier_follows_from_the_counts_beside_it(kind: str, name: str) -> None:
    rule = CONTENT[kind][name]
    right, wrong = sum(rule["right"]), sum(rule["wrong"])
    is_sure = right + wrong >= MIN_FIRINGS and rule["sets"] >= MIN_SETS
    is_sure = is_sure and wilson_bounds(right, right + wrong)[0] >= MIN_LOWER_BOUND
    if is_sure or name in SURE_BY_DEFINITION:
        assert (rule["short"], rule["longer"]) == (SURE, SURE)
        return
    for tier, hits, misses in zip((rule["short"], rule["longer"]), rule["right"], rule["wrong"], strict=True):
        is_off = wilson_bounds(hits, hits + misses)[1] < MAX_UPPER_BOUND
        assert tier == (OFF if is_off else DOUBTFUL)


def test_every_rule_has_a_reason_and_an_example() -> None:
    assert set(RULE_REASONS) == set(RULE_NAMES) == set(CONTENT[ADVERTS]) == set(CONTENT[ARTICLES])
    assert all(reason and example for reason, example in RULE_REASONS.values())


def test_every_rule_that_decides_is_known() -> None:
    fired = {rule for pair in read_pairs() for rule in deciding_rules(judge(pair.a, pair.b))}
    assert len(fired) > 15 and fired <= set(RULE_NAMES)


@pytest.mark.parametrize("kind", SITE_KINDS)
@given(
    st.tuples(st.floats(-4, 4), st.floats(0, 1), st.floats(0, 1), st.floats(0, 5)),
    st.integers(0, 3),
    st.floats(0.01, 3),
)
def test_p_same_is_monotone(kind: str, values: tuple[float, ...], place: int, step: float) -> None:
    features = Features(*values)
    moved = features._replace(**{Features._fields[place]: features[place] + step * SIGNS[place]})
    certainty = certainty_of(kind)
    assert 0 <= certainty.probability(features) <= certainty.probability(moved) <= 1


def test_p_same_of_the_far_ends() -> None:
    certainty = certainty_of(ADVERTS)
    assert certainty.probability(Features(1e6, 1, 1, 0)) == 0.0
    assert certainty.probability(Features(-1e6, 0, 0, 5)) == 1.0


@pytest.mark.parametrize(
    ("a", "b", "similarity"),
    [("стол", "стол", 1.0), ("стол", "кража", 0.0), ("night", "nacht", 0.5), ("ab", "ba", 0.0)],
)
def test_characters(a: str, b: str, similarity: float) -> None:
    assert character_similarity(a, b) == character_similarity(b, a) == pytest.approx(similarity)


@pytest.mark.parametrize(
    ("frame", "a", "b", "certainty"),
    [
        ("Продам {} угловой, серый, почти новый, самовывоз", "диван", "комод", "sure"),
        ("Сваи железобетонные {}, доставка по области, паспорта", "С140.35", "С90.30", "sure"),
        ("Требуется грузчик, работа на складе {}, оплата каждый день", "мебели", "обуви", "maybe"),
        ("требуется {} на автомобиль, смена с утра, обеды", "водитель", "помощник водителя", "maybe"),
    ],
)
def test_another_item_is_stated_or_said_as_maybe(frame: str, a: str, b: str, certainty: str) -> None:
    texts = frame.format(a), frame.format(b)
    for judgement in (judge(*texts), judge(*texts[::-1])):
        assert (judgement.verdict, judgement.certainty) == ("variant", certainty)
        assert judgement.evidence()["certainty"] == certainty


@pytest.mark.parametrize(
    ("frame", "a", "b"),
    [
        ("Mix the batter, bake {} golden, cool on a rack, dust with sugar", "until", "till"),
        ("Preheat the oven. Bake {} the top is brown", "until", "till"),
        ("I {} this bike last year, the frame is fine, pick up in town", "bought", "purchased"),
        ("{} a used bike in great condition with new tyres", "Bought", "Purchased"),
        ("{} работы водителем от трёх лет, график сменный, оплата вовремя", "Опыт", "Стаж"),
        ("Let the dough rest in a {} place, then knead again", "warm", "cosy"),
    ],
)
@pytest.mark.parametrize("algorithm", ["neardup", "neardup-articles"])
def test_a_synonym_is_never_surely_another_item(frame: str, a: str, b: str, algorithm: str) -> None:
    text_a, text_b = (CanonicalText(frame.format(word), language="en") for word in (a, b))
    judgement = get_algorithm(algorithm).judge(text_a, text_b)
    assert judgement.verdict != "variant" or judgement.doubtful


def test_among_articles_a_number_is_a_doubt_in_a_headline_and_an_edit_in_a_longer_text() -> None:
    short = judge_articles(
        "В городе откроют пять новых школ к осени", "В городе откроют семь новых школ к осени"
    )
    assert (short.verdict, short.certainty) == ("variant", "maybe")
    longer = judge_articles(f"{LONG}Пострадали 12 домов.", f"{LONG}Пострадали 14 домов.")
    assert (longer.verdict, longer.certainty) == ("duplicate", "sure")
    assert judge(f"{LONG}Пострадали 12 домов.", f"{LONG}Пострадали 14 домов.").verdict == "variant"


@pytest.mark.parametrize(
    ("count", "verdict"), [(1, "duplicate"), (2, "duplicate"), (3, "variant"), (4, "variant")]
)
def test_among_articles_many_other_numbers_are_a_doubt(count: int, verdict: str) -> None:
    sentence = "Пострадали {} домов, {} машин и {} теплиц, ущерб оценили {} специалистов."
    numbers = [12, 31, 45, 56]
    others = [number + 7 if place < count else number for place, number in enumerate(numbers)]
    judgement = judge_articles(LONG + sentence.format(*numbers), LONG + sentence.format(*others))
    assert (judgement.verdict, judgement.doubtful) == (verdict, verdict == "variant")


def test_among_articles_counters_are_no_other_numbers() -> None:
    counters = "There are {} views of it, {} comments under it, {} likes beside it and {} shares of it."
    texts = [f"{NEWS} {counters.format(*numbers)}" for numbers in ((120, 31, 45, 6), (950, 64, 88, 17))]
    assert judge_articles(*texts).verdict == "duplicate"


def test_a_pair_below_the_score_of_a_duplicate_may_be_one() -> None:
    changed = (
        LONG.replace("сильный дождь", "настоящий ливень с градом")
        .replace("К утру вода ушла, и движение восстановили", "Коммунальщики работали всю ночь и справились")
        .replace("не будет совсем", "уже не ожидается, станет теплее")
    )
    judgement = judge_articles(LONG, changed)
    assert (judgement.verdict, judgement.certainty) == ("related", "maybe")
    assert judgement.score < get_algorithm("neardup-articles").duplicate_threshold(40)


def test_another_text_is_surely_another() -> None:
    judgement = judge_articles(LONG, "Завтра на площади откроется ярмарка мёда и варенья, вход свободный.")
    assert (judgement.verdict, judgement.doubtful) == ("none", False)


@pytest.mark.parametrize(("a", "b", "certainty"), [("диван", "комод", "sure"), ("мебели", "обуви", "maybe")])
def test_the_guard_of_other_algorithms_says_how_sure_it_is(a: str, b: str, certainty: str) -> None:
    frame = "Продам {} угловой, серый" if certainty == "sure" else "Требуется грузчик, работа на складе {}"
    rest = (
        ", состояние хорошее, оплата при получении, район вокзала, подробности расскажу по телефону вечером"
    )
    algorithm = get_algorithm("containment", guard=True, duplicate=0.5)
    judgement = algorithm.judge(*(CanonicalText(frame.format(word) + rest) for word in (a, b)))
    assert (judgement.verdict, judgement.certainty) == ("variant", certainty)


def test_swapping_sides_keeps_the_doubt() -> None:
    assert replace(Judgement("variant", 0.9), doubtful=True).swap_sides().doubtful


FRAME = (
    "Доставка по городу и области в день заказа, самовывоз со склада на улице Заводской. Гарантия двенадцать месяцев, "
    "обмен и возврат в течение двух недель без вопросов. Оплата наличными, картой или по счёту для организаций."
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Дрель ударная, два аккумулятора, кейс", "Пила циркулярная, диск в подарок"),
        ("Перфоратор Зубр", "Стремянка алюминиевая, семь ступеней"),
        ("Компрессор масляный, ресивер 50 л", "Стол"),
    ],
)
def test_two_items_that_share_only_a_footer_are_a_doubt(one: str, other: str) -> None:
    judgement = judge(f"{one}. {FRAME}", f"{other}. {FRAME}")
    assert (judgement.verdict, judgement.doubtful) == ("variant", True)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (f"Дрель ударная Bosch, два аккумулятора. {FRAME}", f"Пила ударная Bosch, два аккумулятора. {FRAME}"),
        (
            "Продам дрель ударную, новая, в упаковке, с чеком",
            "Продам пилу цепную, новая, в упаковке, с чеком",
        ),
    ],
)
def test_an_item_with_another_name_and_the_same_words_beside_it_is_sure(one: str, other: str) -> None:
    judgement = judge(one, other)
    assert (judgement.verdict, judgement.doubtful) == ("variant", False)


SOFA = (
    "Диван угловой, обивка без пятен и зацепок, механизм работает исправно, подушки в комплекте, место большое, "
    "ящик для белья сухой и чистый, хранился дома, ножки целые, размер подходит для маленькой комнаты."
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            f"{SOFA} Цена 5000 руб, звоните 89001112233 Иван.",
            f"{SOFA} Отдам за 4500, пишите в телеграм, Пётр.",
        ),
        (f"{SOFA} Торг уместен.", f"{SOFA} Без торга, самовывоз сегодня, звонить после шести."),
        (f"{SOFA} Самовывоз с Лесной.", f"{SOFA} Доставка в пределах города, подъём на этаж."),
        (f"Срочно! {SOFA}", f"Продаю. {SOFA}"),
        (f"Добрый день! {SOFA}", f"Здравствуйте. {SOFA}"),
    ],
)
def test_a_copy_with_other_words_at_its_edge_stays_a_duplicate(one: str, other: str) -> None:
    judgement = judge(one, other)
    assert (judgement.verdict, judgement.doubtful) == ("duplicate", False)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Продаю стол в хорошем состоянии", "Отдам коляску даром"),
        ("Куплю велосипед недорого", "Котята в добрые руки"),
    ],
)
def test_two_offers_that_share_only_a_footer_are_no_duplicate(one: str, other: str) -> None:
    judgement = judge(f"{one}. {FRAME}", f"{other}. {FRAME}")
    assert judgement.verdict in ("related", "variant") and judgement.doubtful
