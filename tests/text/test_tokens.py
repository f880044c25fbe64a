"""Token classes.  Notation: what was written, ``|``, the tokens (see ``notation``); ``=`` joins equal texts."""

from __future__ import annotations

import pytest

from django_neardup.text.canonical_text import CanonicalText
from tests.text.notation import keys, tokens

WORDS = """
Продаю стулья, диваны                    | продавать стул диван
всё ещё, ёлка                            | все еще елка
купля-продажа                            | купля продажа
объявления об'явления                    | объявление объявление
Selling chairs                           | sell chair
iPhone в чехле                           | l:iphon в чехол
Два дивана, 2 дивана                     | n:2 диван n:2 диван
iPhone'ы                                 | l:iphon
Тел. и ул.                               | телефон и улица
"""

CODES = """
свая С140.35                             | свая c:c140.35
свая C140.35 (латиницей)                 | свая c:c140.35 латиница
свая С90.30-8                            | свая c:c90.30-8
телевизор KDL-32L4000                    | телевизор c:kdl32l4000
телевизор KDL32L4000                     | телевизор c:kdl32l4000
камера DSC-W120 в чехле                  | камера l:dsc c:w120 в чехол
камера DSC-W120                          | камера dsc c:w120
вертолёт Ми-8                            | вертолет c:ми8
шины BMW X5, Х5                          | шина l:bmw c:x5 c:x5
масло 5W-30                              | масло c:5w30
процессор i5-1135G7                      | процессор c:i5-1135g7
деталь 010-10936-00                      | деталь c:010-10936-00
книга ISBN 978-5-17-090630-1             | книга l:isbn c:978-5-17-090630-1
ключ 1-891448-07-2                       | ключ c:1-891448-07-2
разработчик C++                          | разработчик c:c++
разработчик C#                           | разработчик c:c#
экран 3D, память 4GB                     | экран c:3d память m:4000 u:mb
смартфон iPhone 11 256 ГБ = смартфон iPhone 11, 256Гб  | смартфон l:iphon n:11 m:256000 u:mb
5th floor = 5 floor                      | n:5 floor
"""

NUMBERS = """
1 000 000 = 1000000 = 1,000,000 = 1.000.000 = 1'000'000 = 1 млн = 1 миллион      | n:1000000
1 234,5 = 1234.5 = 1234,50 = 1.234,50    | n:1234.5
007 = 7                                  | n:7
29тыс = 29 тыс. = 29 тысяч = 29000       | n:29000
1,5 млн = 1.5млн = 1500000               | n:1500000
1803-1804 = 1803 1804 = 1803–1804 = 1803, 1804  | n:1803 n:1804
5-й = 5й = 5                             | n:5
3-комнатная = 3 комнатная = 3комнатная = 3-х комнатная = 3х комнатная  | n:3 комнатный
2015 г. = 2015г = 2015 год = 2015 года   | n:2015 год
5шт = 5 шт. = 5 штук                     | n:5 штука
10 % = 10%                               | n:10
3/5 эт.                                  | n:3/5 этаж
192.168.0.1                              | n:192.168.0.1
"""

MEASURES = """
5 кг = 5кг = 5 Кг. = 5КГ = 5 килограмм   | m:5000 u:g
350×350 = 350x350 = 350х350 = 350*350 = 350 x 350 = 350 Х 350  | m:350x350
350×350 мм = 350х350мм                   | m:350x350 u:mm
200px = 200PX = 200 px                   | m:200 u:px
54 м² = 54 м2 = 54м2 = 54 кв.м = 54 кв. м  | m:54 u:m2
175/65 R14 = 175/65R14 = 175/65 р14      | m:175/65r14
256 ГБ = 256Гб = 256 GB = 256gb          | m:256000 u:mb
0,5 л = 0.5л = 0,50 л.                   | m:500 u:ml
150 л.с. = 150 лс = 150 hp               | m:150 u:hp
90 км/ч = 90 km/h                        | m:90 u:km/h
29 тыс. км = 29тыс км = 29 000 км        | m:29000000000 u:mm
12v = 12 V                               | m:12 u:v
"""

PRICES = """
5000 руб = 5000 руб. = 5 000 р. = 5000р = 5000₽ = 5.000 руб = 5 тыс. руб. = 5тыс.руб = 5 т.р. = 5 тр  | p:¤5000₽
$1,200 = 1200$ = 1 200 USD = 1200 долларов = $1.2k  | p:¤1200$
€50 = 50 евро                            | p:¤50€
20 000 - 25 000 руб = 20000–25000 руб.   | p:¤20000-25000₽
от 5000 до 7000 руб                      | от p:¤5000 до p:¤7000₽
цена 15000 = Цена: 15 000 = ЦЕНА - 15000 | цена p:¤15000
5000 p. в день = 5000 p в день           | p:¤5000₽ в день
двигатель 405 евро 3                     | двигатель n:405 евро n:3
5 р-н                                    | n:5 р н
"""

DATES = """
12.05.2024 = 12.5.2024 = 12/05/2024 = 12-05-2024 = 2024-05-12 = 2024.05.12 = 12.05.24  | d:2024-05-12
12 мая 2024 = 12 мая 2024 г. = 12 МАЯ 2024 года = 12 May 2024  | d:2024-05-12
8 марта                                  | d:03-08
с 9:00 = с 09:00                        | с d:09:00
масштаб 1:43                             | масштаб n:1 n:43
1941-1945                                | n:1941 n:1945
99.99.2024                               | n:99.99.2024
"""

CONTACTS = """
8 903 123-45-67 = +7 (903) 123-45-67 = 89031234567 = +79031234567 = 8(903)1234567  | @:tel:9031234567
8-903-123-45-67 = 903 123-45-67 = (903) 123-45-67 = 9031234567 = 8.903.123.45.67  | @:tel:9031234567
8 (4012) 12-34-56 = +7 4012 123456       | @:tel:4012123456
123-45-67                                | @:tel:1234567
+380 67 123-45-67 = 067 123-45-67        | @:tel:0671234567
(555) 234-5678 = 555-234-5678 = 1-555-234-5678  | @:tel:5552345678
ivan@mail.ru = Ivan@Mail.RU = ivаn@mаil.ru  | @:mailto:ivan@mail.ru
https://www.site.ru/path/ = site.ru/path = http://site.ru/path#top = site.ru/path?utm_source=vk  | @:url:site.ru/path
пишите @ivan_p                           | писать @:@ivan_p
"""


MONTH_FIRST = """
May 12, 2024 = May 12th 2024 = 12 May 2024 = 12th of May 2024  | d:2024-05-12
"""


def _cases(table: str, context: str = "") -> list[tuple[str, str]]:
    """A context of Russian words decides what single letters mean."""
    rows = [line.rsplit("|", 1) for line in table.strip().splitlines()]
    return [
        (context + text.strip(), context + wanted.strip())
        for row, wanted in rows
        for text in row.split(" = ")
    ]


IN_RUSSIAN = NUMBERS + MEASURES.lstrip() + PRICES.lstrip() + DATES.lstrip()
CASES = [*_cases(WORDS + CODES.lstrip()), *_cases(IN_RUSSIAN, "ну это да "), *_cases(MONTH_FIRST)]


@pytest.mark.parametrize(("text", "wanted"), CASES)
def test_tokens(text: str, wanted: str) -> None:
    assert tokens(text) == wanted


@pytest.mark.parametrize(("text", "wanted"), _cases(CONTACTS))
def test_contacts(text: str, wanted: str) -> None:
    assert tokens(text) == wanted
    assert CanonicalText(text).contacts == (wanted.split()[-1].removeprefix("@:"),)


NOT_CONTACTS = """
010-10936-00
2107-1001015
1 234 567 890 123
8 000 000
12-34-56
978-5-17-090630-1
4607034170158
1 2 3 4 5 6 7 8 9 0 1 2
0 1 2 3 4 5 6 7 8 9 10 11 12
36 37 38 39 40 41 42 43
1990-2020
list.append
Cargo.toml
main.py
a@b
"""


@pytest.mark.parametrize("text", NOT_CONTACTS.strip().splitlines())
def test_no_contact(text: str) -> None:
    assert CanonicalText(text).contacts == ()


def test_negations_are_kept_and_spelt_alike() -> None:
    assert keys("не нет без ни") == "не нет без ни"
    assert keys("I don't, doesnt, can't, cannot").split() == ["i", "not", "not", "not", "not"]


def test_place_is_what_the_reader_sees() -> None:
    text = "Свая <b>С</b>140.35 за 5&nbsp;000 руб., т\u200bел. 8 (903) 123-45-67!"
    seen = {token.key: text[token.start : token.end] for token in CanonicalText(text).tokens}
    assert seen == {
        "свая": "Свая",
        "c140.35": "С</b>140.35",
        "за": "за",
        "¤5000₽": "5&nbsp;000 руб.",
        "телефон": "т\u200bел",
        "tel:9031234567": "8 (903) 123-45-67",
    }


def test_capitals() -> None:
    capitals = {
        token.surface: token.is_capitalized
        for token in CanonicalText("Иван видел BMW и iPhone, МОСКВА Нева").tokens
    }
    assert [word for word, capital in capitals.items() if capital] == ["иван", "нева"]


def test_parts_of_speech_and_names() -> None:
    found = {
        token.surface: (token.pos, token.is_name)
        for token in CanonicalText("Красивая Москва, Иван поёт").tokens
    }
    assert found == {
        "красивая": ("ADJF", False),
        "москва": ("NOUN", True),
        "иван": ("NOUN", True),
        "поет": ("VERB", False),
    }


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("我爱北京", "我 爱 北 京"),
        ("价格5公斤 iPhone手机", "价 格 n:5 公 斤 iphone 手 机"),
        ("ราคา", "ร า ค า"),
        ("น้ำ", "น้ํ า"),
        ("ປະເທດ", "ປ ະ ເ ທ ດ"),
        ("ភាសា", "ភា សា"),
        ("မြန်မာ", "မြ န် မာ"),
        ("東京タワー", "東 京 タ ワ ー"),
        ("हिन्दी भाषा", "हिन्दी भाषा"),
        ("한국어 문서", "한국어 문서"),
    ],
)
def test_characters_stand_in_for_words_where_no_spaces_are_written(text: str, wanted: str) -> None:
    assert tokens(text, language="zh") == wanted
