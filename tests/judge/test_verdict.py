"""The verdict: a pure function of two texts, ``exact``, the lengths at which a word decides, and doubts."""

from __future__ import annotations

import pytest

from tests.judge.judged_pairs import JudgedPair, deciding_rules, judge, read_pairs, text_of

SECRETS = (b"", b"one", b"second secret", bytes(range(32)), "тайна".encode())
PAIRS = read_pairs()
SENTENCES = (
    "Дом стоит на краю деревни, за огородом начинается лес, до пруда десять минут пешком. ",
    "Зимой дорогу чистит трактор, летом к нам ездит автолавка с хлебом и молоком. ",
    "Соседи живут здесь постоянно, помогают косить траву и присматривают за хозяйством. ",
    "Печь сложили недавно, она греет обе комнаты и веранду даже в сильный мороз. ",
    "В сарае хранятся доски, лестница, тачка и старые рамы, всё останется покупателям. ",
    "Яблони плодоносят через год, смородина и крыжовник каждое лето дают много ягод. ",
    "Колодец чистили весной, вода вкусная, насос работает, шланг проведён до бани. ",
    "Баню топим по субботам, каменка держит жар, предбанник обшит липой и кедром. ",
    "Автобус до района ходит дважды в день, остановка у магазина, рядом почта. ",
    "Школа и врач есть в соседнем селе, туда ведёт асфальт, зимой возят детей. ",
    "Огород ровный, земля удобрена, картошка растёт крупная, сорняков почти нет. ",
    "Крышу перекрыли железом, чердак утеплили опилками, окна меняли прошлой осенью. ",
    "Документы оформлены, собственник один, долгов за свет и землю никогда не было. ",
    "Связь ловит хорошо, интернет провели в прошлом году, антенна стоит на коньке. ",
    "Тишина, воздух и звёзды, по утрам кричат журавли, осенью полно белых грибов. ",
    "Во дворе навес для машины, поленница, погреб и место под теплицу у забора. ",
)
NEXT_SENTENCE = "Ещё отдадим {} с ручкой и крышкой. "


def text_of_length(words: int, thing: str, extra: str = "") -> str:
    """Return a text of at least this many words, which has the thing in its middle."""
    chosen: list[str] = []
    for sentence in SENTENCES:
        if sum(len(part.split()) for part in chosen) >= words:
            break
        chosen.append(sentence)
    chosen.insert(len(chosen) // 2, NEXT_SENTENCE.format(thing))
    return "".join([*chosen, extra])


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: str(pair)[:60])
def test_symmetric(pair: JudgedPair) -> None:
    assert judge(pair.a, pair.b) == judge(pair.b, pair.a).swap_sides()


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: str(pair)[:60])
def test_independent_of_the_secret(pair: JudgedPair) -> None:
    first, *others = (judge(pair.a, pair.b, secret) for secret in SECRETS)
    assert all(other == first for other in others)


SOFA = "Продам ещё крепкий диван, обивка серая, механизм исправен. Самовывоз из Орла."


@pytest.mark.parametrize(
    "other",
    [
        SOFA.upper(),
        SOFA.replace("ё", "е"),
        SOFA.replace(" ", "  \n"),
        f"<p><b>{SOFA}</b></p>",
        SOFA.replace("диван", "ди\u00adван"),
        SOFA.replace("крепкий", "\u200bкрепкий"),
        SOFA.replace("серая", "cеpaя"),
        f"✅ {SOFA} 👍🔥",
        SOFA.replace("диван", "⭐ диван ⭐"),
        SOFA.replace(".", "!"),
    ],
)
def test_exact(other: str) -> None:
    assert judge(SOFA, other).exact


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Завтра днём в городе +7, ветер слабый", "Завтра днём в городе -7, ветер слабый"),
        ("Сдаю кровь, группа B+, живу рядом", "Сдаю кровь, группа B-, живу рядом"),
        ("Дом: свет ✅, газ ✅, вода ✅, баня", "Дом: свет ✅, газ ❌, вода ✅, баня"),
        ("Отзыв на кафе 👍 кормят рыбой", "Отзыв на кафе 👎 кормят рыбой"),
        ("Гостиница ⭐⭐⭐ у моря, завтраки", "Гостиница ⭐⭐⭐⭐ у моря, завтраки"),
        ("Чехол для Galaxy S10, чёрный, новый", "Чехол для Galaxy S10+, чёрный, новый"),
        ("Язык C++ с нуля, группа вечером", "Язык C с нуля, группа вечером"),
        ("Bán dừa tươi, giao hàng tận nơi", "Bán dưa tươi, giao hàng tận nơi"),
        ("Selling a Hänger, new tyres, strong", "Selling a Hanger, new tyres, strong"),
        ("Приём ведёт врач Орлов, кабинет пять", "Приём ведёт врач Орлова, кабинет пять"),
        ("Мойка высокого давления 2.5 литра", "Мойка высокого давления 25 литра"),
    ],
)
def test_not_exact(a: str, b: str) -> None:
    assert not judge(a, b).exact


@pytest.mark.parametrize("end", ["", ".", "!", " ."])
def test_a_signature_and_the_full_stop_before_it_are_no_difference(end: str) -> None:
    text = "Продам стол дубовый, ножки точёные, столешница целая"
    assert judge(text, f"{text}{end}\n-- \nСаша, город Тверь").exact
    assert not judge(text, f"{text}{end}\nРезьба по дереву").exact


@pytest.mark.parametrize(
    ("frame", "phrase", "other"),
    [
        (
            "Нужен сторож {}, график два через два, бытовка тёплая",
            "без вредных привычек",
            "не пьёт и не курит",
        ),
        ("The walk along the river takes {}, bring warm shoes and tea", "90 minutes", "an hour and a half"),
    ],
)
def test_a_phrase_of_five_words_is_aligned_with_another_of_its_meaning(
    frame: str, phrase: str, other: str
) -> None:
    judgement = judge(frame.format(phrase), frame.format(other))
    assert judgement.verdict == "duplicate" and judgement.score == 1.0


@pytest.mark.parametrize("words", [10, 20, 30])
def test_a_replaced_noun_decides_up_to_50_words(words: int) -> None:
    a, b = text_of_length(words, "бидон", "Спасибо всем."), text_of_length(words, "ковш", "Звоните вечером.")
    judgement = judge(a, b)
    assert len(text_of(a)) <= 50
    assert judgement.verdict == "variant" and deciding_rules(judgement) & {"replaced word", "replaced item"}


@pytest.mark.parametrize("words", [70, 120, 170])
def test_a_replaced_noun_decides_alone_up_to_200_words(words: int) -> None:
    a, b = text_of_length(words, "бидон"), text_of_length(words, "ковш")
    judgement = judge(a, b)
    assert 50 < len(text_of(a)) <= 200
    assert judgement.verdict == "variant" and deciding_rules(judgement) == {"replaced word"}


@pytest.mark.parametrize("words", [70, 120, 170])
def test_a_replaced_noun_with_other_differences_does_not_decide_in_longer_texts(words: int) -> None:
    extra = "Приезжайте смотреть, встретим у моста, напоим чаем, покажем окрестности и ответим на вопросы."
    a, b = text_of_length(words, "бидон"), text_of_length(words, "ковш", extra)
    assert 50 < len(text_of(a)) <= 200 and judge(a, b).verdict == "duplicate"


def test_a_replaced_noun_does_not_decide_above_200_words() -> None:
    a, b = (text_of_length(170, thing) + "".join(SENTENCES[:4]) for thing in ("бидон", "ковш"))
    assert len(text_of(a)) > 200 and judge(a, b).verdict == "duplicate"


def test_another_item_goes_before_a_doubt() -> None:
    doubt = (
        "Verkaufe Hänger, stabil, neue Reifen, Plane dabei",
        "Verkaufe Hanger, stabil, neue Reifen, Plane dabei",
    )
    assert judge(*doubt).verdict == "related"
    a, b = f"{doubt[0]}, Modell 300", f"{doubt[1]}, Modell 500"
    judgement = judge(a, b)
    assert judgement.verdict == "variant" and "figure" in deciding_rules(judgement)


def test_a_doubt_goes_before_a_copy_and_is_no_other_item() -> None:
    judgement = judge(
        "Verkaufe Hänger, stabil, neue Reifen, Plane", "Verkaufe Hanger, stabil, neue Reifen, Plane"
    )
    assert judgement.verdict == "related" and judgement.classes == ()
    assert deciding_rules(judgement) == {"accent"}
