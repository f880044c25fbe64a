"""The order of the rules: of two neighbours that could both speak, the earlier one decides.

The order is that of the judge's explanation: windows of ignored terms, trigger nouns, ignored classes, role
swaps, figures and signs, opposites, heads, replaced words, inserted words, blocks.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from tests.judge.judged_pairs import deciding_rules, judge, speaks

BODY = "Привезу бесплатно по городу, подъём отдельно, оплата при получении, чек и гарантия год"
PHONE = (
    "Продам телефон {}, экран целый, память большая, стекло без царапин, заряжается быстро, держит два дня, "
    "в коробке лежат ещё {} и паспорт, отдам всё сразу, самовывоз вечером с улицы Садовой"
)


@dataclass(frozen=True)
class Precedence:
    """Two texts between which both rules could speak.

    - ``verdict``: what the earlier rule makes of them.
    - ``later_a``, ``later_b``: the same texts without what the earlier rule is about. There the later rule
      decides.
    """

    earlier: str
    later: str
    verdict: str
    a: str
    b: str
    later_a: str
    later_b: str


PRECEDENCES = {
    "terms before trigger nouns": Precedence(
        "terms",
        "price is the item",
        "duplicate",
        "Продам шкаф из ореха, дверцы резные, задняя стенка целая, обмен на сертификат 3000 рублей",
        "Продам шкаф из ореха, дверцы резные, задняя стенка целая, обмен на сертификат 5000 рублей",
        "Продам шкаф из ореха, дверцы резные, задняя стенка целая, в придачу сертификат 3000 рублей",
        "Продам шкаф из ореха, дверцы резные, задняя стенка целая, в придачу сертификат 5000 рублей",
    ),
    "trigger nouns before ignored classes": Precedence(
        "price is the item",
        "ignored class",
        "variant",
        "Купон в пекарню на Садовой, 300 рублей, отдам соседям, не успеваю сходить",
        "Купон в пекарню на Садовой, 700 рублей, отдам соседям, не успеваю сходить",
        "Пирог из пекарни на Садовой, 300 рублей, отдам соседям, не успеваю съесть",
        "Пирог из пекарни на Садовой, 700 рублей, отдам соседям, не успеваю съесть",
    ),
    "ignored classes before role swaps": Precedence(
        "ignored class",
        "role swap",
        "duplicate",
        "Кроссовки подешевели с 4900 рублей до 3500 рублей, сетка, подошва целая, коробка и чек есть",
        "Кроссовки подешевели с 3500 рублей до 4900 рублей, сетка, подошва целая, коробка и чек есть",
        "Кроссовки обменяю с 42 размера на 44 размер, сетка, подошва целая, коробка и чек есть",
        "Кроссовки обменяю с 44 размера на 42 размер, сетка, подошва целая, коробка и чек есть",
    ),
    "role swaps before figures": Precedence(
        "role swap",
        "figure",
        "variant",
        "Поднять шкаф с 7 на 12 этаж в пятницу, вес большой, ремни свои, лифт есть",
        "Поднять шкаф с 12 на 7 этаж в пятницу, вес большой, ремни свои, лифт есть",
        "Поднять шкаф с 7 на 12 этаж в пятницу, вес большой, ремни свои, лифт есть",
        "Поднять шкаф с 7 на 15 этаж в пятницу, вес большой, ремни свои, лифт есть",
    ),
    "figures before opposites": Precedence(
        "figure",
        "deal",
        "variant",
        "Продам 2 стула венских, сиденья плетёные, лак старый, ножки ровные",
        "Куплю 3 стула венских, сиденья плетёные, лак старый, ножки ровные",
        "Продам 2 стула венских, сиденья плетёные, лак старый, ножки ровные",
        "Куплю 2 стула венских, сиденья плетёные, лак старый, ножки ровные",
    ),
    "opposites before heads": Precedence(
        "antonym",
        "head",
        "variant",
        f"Дверь левая // {BODY}",
        f"Дверь правая // {BODY}",
        f"Дверь глухая // {BODY}",
        f"Дверь арочная // {BODY}",
    ),
    "heads before replaced words": Precedence(
        "head",
        "replaced word",
        "variant",
        f"Диван угловой // {BODY}",
        f"Диван модульный // {BODY}",
        f"Диван угловой, {BODY}",
        f"Диван модульный, {BODY}",
    ),
    "replaced words before inserted words": Precedence(
        "replaced item",
        "inserted qualifier",
        "variant",
        "Требуется повар в столовую, пять дней в неделю, форма выдаётся, обеды",
        "Требуется помощник пекаря в столовую, пять дней в неделю, форма выдаётся, обеды",
        "Требуется повар в столовую, пять дней в неделю, форма выдаётся, обеды",
        "Требуется помощник повара в столовую, пять дней в неделю, форма выдаётся, обеды",
    ),
    "inserted words before blocks": Precedence(
        "inserted qualifier",
        "block",
        "variant",
        PHONE.format("Redmi 9", "совсем шланг армированный бухта латунь"),
        PHONE.format("Redmi 9 Pro Max Ultra", "почти лопата снеговая черенок сталь"),
        PHONE.format("Redmi 9", "совсем шланг армированный бухта латунь"),
        PHONE.format("Redmi 9", "почти лопата снеговая черенок сталь"),
    ),
}
IGNORING_RULES = {"terms", "ignored class"}


@pytest.mark.parametrize("case", PRECEDENCES.values(), ids=list(PRECEDENCES))
def test_the_earlier_rule_decides(case: Precedence) -> None:
    judgement = judge(case.a, case.b)
    assert judgement.verdict == case.verdict, judgement.evidence()
    assert deciding_rules(judgement) == {case.earlier} - IGNORING_RULES, judgement.evidence()


@pytest.mark.parametrize("case", PRECEDENCES.values(), ids=list(PRECEDENCES))
def test_the_later_rule_decides_alone(case: Precedence) -> None:
    judgement = judge(case.later_a, case.later_b)
    if case.later in IGNORING_RULES:
        assert judgement.verdict == "duplicate" and speaks(case.later, case.later_a, case.later_b)
    else:
        assert judgement.verdict == "variant", judgement.evidence()
        assert case.later in deciding_rules(judgement), judgement.evidence()


@pytest.mark.parametrize(
    "name",
    ["terms before trigger nouns", "trigger nouns before ignored classes", "figures before opposites"],
)
def test_both_rules_speak_of_the_same_words(name: str) -> None:
    case = PRECEDENCES[name]
    assert speaks(case.earlier, case.a, case.b) and speaks(case.later, case.a, case.b)
