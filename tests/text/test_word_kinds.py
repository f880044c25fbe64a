"""Words met for the first time, of every kind that has rules of its own."""

from __future__ import annotations

import pytest

from django_neardup.text.tokens.lexicon import get_lexicon
from tests.text.reading import LONG, assert_read

KINDS = {
    "plain": "слово дома стульями абырвалгом перепродам бутявка",
    "repeated letters": "мааамочки ооочень длинношеее ххх ооо ввв рублеййй",
    "letters of two scripts": "caxap кaша Bода рок ток box ок рoст вoх сор рост",
    "roman": "xix ххх іх iii хіх мім",
    "apostrophes": "об'єкт под'езд д'артаньян o'connor don't",
    "abbreviated": "тел ул шт мес эт сост кв ср телами улица",
    "numerals": "два двумя двоих трое сто двадцати сорока одиннадцать two twenty п'ять шість нуль",
    "stop words": "и очень весьма хорошего который не без нет the never був які",
    "months": "мая май марта сент сентября дек январь may march травня жовтня",
    "units": """
        м метр метров метрами км ч час кв квадратных квадратов куб кубов га гектаров соток сотку дюймов фут г гр грамм
        кг кило килограммов тонн фунтов л литра мл вт ватт вольт гц гб гигабайт мегапикселей пикс бар атм лс об мин
        ма ач x х р с к го ые
    """,
    "prices": """
        цена цену цены стоимость price cost от до за по тыс тысяч тысруб тысячрублей миллионрублей млн миллиарда руб
        рубли рубликов коп копеек долл долларов баксов евро гривен тенге юаней бел е у у.е
    """,
    "addresses": "www wwww аwww",
    "long": " ".join(("недоперевыкорчеванный" * 4)[:size] for size in (32, 33, 39, 40, 41, 63, 64, 65)),
    "ё": "ёлка жильё её всё самолёт нёс",
    "Ukrainian": "їжак ґанок щось можливо є єдиний",
}


@pytest.mark.parametrize("language", ["ru", "uk", "en", "de"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind(kind: str, language: str) -> None:
    words = KINDS[kind].split()
    for text in (" ".join(words), *(f"{word} 5 {word} 12000 {word}, {LONG}" for word in words)):
        assert_read(text, language=language)


@pytest.mark.parametrize("language", ["ru", "uk", "en", "de"])
def test_plain_words_are_what_their_entries_say(language: str) -> None:
    words = " ".join(KINDS.values()).split()
    shared = get_lexicon(language, True)
    keys = {word: key for word in words if (key := shared.plain_key(word)) is not None}
    assert len(keys) > len(words) // 3
    assert keys == {word: shared.make_entry(word).key for word in keys}
    assert all(shared.make_entry(word)[:3:2] == (word, "word") for word in keys)
    assert not any(map(get_lexicon(language, False).plain_key, words))
