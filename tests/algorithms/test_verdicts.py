"""Worked examples: pairs of texts and what is to be said of them."""

from __future__ import annotations

import pytest

from django_neardup.algorithms import Judgement, get_algorithm
from django_neardup.text.canonical_text import CanonicalText

PILES = "Сваи железобетонные {}, в наличии на складе, доставка по области, звоните в рабочее время"
PARAGRAPHS = [
    "Дом стоит на берегу озера, до воды двадцать шагов по тропинке между соснами.",
    "Первый этаж каменный, внутри печь, кухня и небольшая баня с комнатой отдыха.",
    "Наверху три спальни, из окон видно лес и дальний берег, где по утрам туман.",
    "Участок огорожен, посажены яблони, смородина, есть теплица и колодец с чистой водой.",
    "Соседи приезжают только летом, зимой тихо, дорогу чистят каждую неделю.",
    "Магазин и почта в двух километрах, автобус до города ходит утром и вечером.",
    "Рыбалка отличная: щука, окунь, лещ, а в августе можно поймать и судака.",
    "Продаю из-за переезда в другой регион, документы готовы, показываю по выходным.",
]
REWRITTEN = "Старый хозяин просил передать ключи лично и рассказать новым жильцам про подвал."


def judge(a: str, b: str, algorithm: str = "neardup", **options: object) -> Judgement:
    return get_algorithm(algorithm, **options).judge(CanonicalText(a), CanonicalText(b))


def test_pile_adverts_that_differ_in_the_code_are_variants() -> None:
    judgement = judge(PILES.format("С140.35"), PILES.format("С90.30"))
    assert (judgement.verdict, judgement.classes) == ("variant", ("code",))
    deciding = [item for item in judgement.differences if item.is_decisive]
    assert [(item.text_a, item.text_b) for item in deciding] == [("С140.35", "С90.30")]
    assert PILES.format("С140.35")[slice(*deciding[0].span_a)] == "С140.35"


def test_the_last_of_eight_paragraphs_rewritten_is_a_duplicate() -> None:
    judgement = judge("\n\n".join(PARAGRAPHS), "\n\n".join([*PARAGRAPHS[:-1], REWRITTEN]))
    assert judgement.verdict == "duplicate"
    assert judgement.score < 1


@pytest.mark.parametrize("step", [5, 6])
def test_every_fifth_or_sixth_sentence_rewritten_is_a_duplicate(step: int) -> None:
    edited = [REWRITTEN if i % step == step - 1 else text for i, text in enumerate(PARAGRAPHS)]
    assert judge(" ".join(PARAGRAPHS), " ".join(edited)).verdict == "duplicate"


def test_reordered_sentences_are_a_duplicate() -> None:
    judgement = judge(" ".join(PARAGRAPHS), " ".join(reversed(PARAGRAPHS)))
    assert judgement.verdict == "duplicate"
    assert judgement.score > 0.95
    assert not judgement.exact


def test_thirty_words_inside_a_thousand_are_contained() -> None:
    quote = " ".join(PARAGRAPHS[:3])
    filler = " ".join(f"слово{i} текст{i % 37} речь{i % 11}" for i in range(330))
    long = filler[:3000] + " " + quote + " " + filler[3000:]
    judgement = judge(quote, long)
    assert judgement.verdict == "contained"
    assert judgement.containment_a > 0.95
    assert judgement.containment_b < 0.1
    assert any(passage.word_count >= 30 for passage in judgement.passages)


@pytest.mark.parametrize("empty", ["", "   ", "!!!", "\n", "<p></p>"])
@pytest.mark.parametrize("other", ["", "слово", "и в на", PILES])
def test_an_empty_text_is_like_nothing(empty: str, other: str) -> None:
    judgement = judge(empty, other)
    assert (judgement.verdict, judgement.score, judgement.exact) == ("none", 0.0, False)


@pytest.mark.parametrize("text", ["слово", "и", "и в на", "5", "+7 903 123-45-67"])
def test_one_word_and_stop_words_alone_raise_nothing(text: str) -> None:
    assert judge(text, text).exact
    assert judge(text, "совсем другое").verdict == "none"


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Продам гараж, цена 150 000 руб.", "Продам гараж, цена 170 000 руб."),
        ("Продам гараж, тел. 8 903 123-45-67", "Продам гараж, тел. +7 (916) 765-43-21"),
        ("Продам гараж в центре, пишите на a@example.com", "Продам гараж в центре, пишите на b@example.org"),
    ],
)
def test_price_and_contact_never_decide(a: str, b: str) -> None:
    judgement = judge(a, b)
    assert (judgement.verdict, judgement.classes) == ("duplicate", ())


def test_excused_classes_are_an_option() -> None:
    texts = "Билет на концерт, цена 1500 руб., первый ряд", "Билет на концерт, цена 2900 руб., первый ряд"
    assert judge(*texts).verdict == "duplicate"
    judgement = judge(*texts, ignored_differences=("contact",))
    assert (judgement.verdict, judgement.classes) == ("variant", ("price",))


def test_the_word_guard_is_a_switch() -> None:
    text = "Продаются {}, окрас рыжий, возраст два месяца, приучены к лотку и когтеточке, привиты, характер ласковый"
    texts = text.format("котята"), text.format("щенята")
    assert judge(*texts).verdict == "variant"
    assert judge(*texts, word_guard=False).verdict == "duplicate"
    assert judge(*texts, algorithm="neardup-articles").verdict == "duplicate"


def test_one_boilerplate_under_two_things_is_related() -> None:
    boilerplate = " ".join(PARAGRAPHS[3:7])
    boat = "Лодка надувная просторная с высокими бортами, вёсла, насос и ремонтный набор в комплекте. "
    tent = "Палатка туристическая на каркасе, с тамбуром, дуги алюминиевые, швы проклеены, вес небольшой. "
    assert judge(boat + boilerplate, tent + boilerplate, "neardup-articles").verdict == "related"
    boat, tent = boat.replace("просторная", "двухместная"), tent.replace("каркасе", "четверых")
    assert judge(boat + boilerplate, tent + boilerplate).verdict == "variant"


def test_other_texts_are_nothing() -> None:
    assert judge(PARAGRAPHS[0], PARAGRAPHS[6]).verdict == "none"
