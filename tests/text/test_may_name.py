"""The quick look for names misses none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from django_neardup.text.batch import read_batch
from django_neardup.text.canonical_text import CanonicalText
from django_neardup.text.normalization.plain_text import plain_text
from django_neardup.text.tokens.name_prefilter import can_contain_name

NAMED = [
    "Звонить Ивану Иванову",
    "Иванов И. И.",
    "И.И. Иванов",
    "Анна Римская-Корсакова",
    "Пётр\nСергеевич",
    "Иван&nbsp;Иванов",
    "<b>Иван</b> <i>Иванов</i>",
    "*Иван* Иванов",
    "Ива\u00adн Иванов",
    "О'Генри Иван Петрович",
    "ИВАН ИВАНОВ",
    "П-п-п-педро П-п-п-перес",
    "И‒в‒а‒н Иванов",
    "И\u00a0в а  н иванов",
    "Римская-Корсакова Анна",
    "с А н н а Иванова",
    "Иванов**а** Анна",
    "Ив**ан** Петров",
    "Ив\u202aан Петров",
    "Ива\u2066нов Иван",
    "Иван\u0483 Петров",
    "Иван\ufe0f Петров",
    "Иван [правка] Петров",
    "Иван <а &gt; б> Петров",
    "Алёна Иванова",
    "Иван Пётр Петрович",
    "Ёжиков П. П.",
    "О'\u2060Генри Иван",
    "Иван\u0301\u0302 Петров",
    "[b]Иван[/b]\nПетров",
    "Иван *[1]* Петров",
]
PLAIN = [
    "",
    "Продаю диван. Самовывоз.",
    "иван иванов",
    "Продаю, Звоните, Торг",
    "Б&Б, Иван",
    "ПРОДАЮ ди ВАН",
    "С140.35 и С90.30",
    "Казань - Москва",
    "❤\ufe0f Диван. 5\ufe0f\u20e3 Стол",
    "Лечу в Нью-Йорк",
    "Ив~~ан~~ Петров",
    "Иван [правка: имя] Петров",
]
UNNAMED = [
    "Диван Продаю Срочно. Торг",
    "Дом П. Кирпичный",
    "Репетитор Цена Договорная",
    "К. Диван",
    "Продаю Lada Vesta, Kia Rio",
    "В Анапе. А Вера?",
    "Где И?",
    "При X < Y - [«Типы»], &str и &self, Диван < Стол",
    "Маша. Петя",
    "Иван Пётр",
    "Ивану Петров",
    "Иванова Петрова",
    "Canon CLI-521",
    "Прокси F11, Built-In Digital",
    "Иванов. Иван",
    "通过目录 编辑",
    "Søren ønsker å",
    "[t](/a) Продаю. *Диван* «Иван»",
]
PARTS = [
    "Диван",
    "Иивановв",
    "Аннна",
    "Cидоров",
    "Иvan",
    "Ceрoв",
    "Kia",
    "L",
    " - ",
    "Иван",
    "Иванова",
    "Петрович",
    "И.",
    "И",
    "А",
    "в",
    "и",
    "диван",
    " ",
    "\n",
    "-",
    ".",
    ", ",
    "*",
    "**",
    "\u2066",
    "\u20d0",
    "\ufe0f",
    "❤",
    "É",
    "ø",
    "_",
    "'",
    "<b>",
    "<",
    ">",
    "[",
    "]",
    "&",
    "Ё",
    "«",
    "5",
]
MARKUP = [
    "<b>",
    "</b>",
    "<br>",
    "<p>",
    "<!-- А -->",
    "&nbsp;",
    "&#1048;",
    "&amp;",
    "&lt;",
    "[b]",
    "[/b]",
    "[url=x]",
    "](/a)",
    "[правка]",
    "<blockquote>",
    "</blockquote>",
    "\n>",
    "~~",
    "*'",
]
LONG = "дом стоит " * 30


def looked_at(text, *args, **options):
    return can_contain_name(plain_text(text).text, *args, **options)


@pytest.mark.parametrize("text", NAMED)
def test_names_side_by_side_are_seen(text):
    assert looked_at(text) and looked_at(text, "ru")


@pytest.mark.parametrize("text", PLAIN)
def test_a_text_without_two_capitals_side_by_side_needs_no_look(text):
    assert not looked_at(text) and not CanonicalText(text).person_names


@pytest.mark.parametrize("text", NAMED)
@pytest.mark.parametrize("language", ["en", "de-AT", "th"])
def test_a_language_without_a_dictionary_names_nobody(text, language):
    assert not looked_at(text, language) and not CanonicalText(text, language=language).person_names


@pytest.mark.parametrize("text", UNNAMED)
def test_synonyms_may_stand_for_any_word(text):
    assert looked_at(text, "ru", has_synonyms=True)


@given(st.lists(st.sampled_from(PARTS), max_size=12).map("".join))
def test_whatever_has_a_name_may_have_one(text):
    assert (looked_at(text) and looked_at(text, "ru")) or not CanonicalText(text).person_names


@pytest.mark.parametrize("text", UNNAMED)
def test_words_that_are_in_no_name_need_no_look(text):
    assert looked_at(text) and not looked_at(text, "ru") and not CanonicalText(text).person_names


@given(st.lists(st.sampled_from(PARTS + MARKUP), max_size=14).map("".join), st.sampled_from(["keep", "drop"]))
def test_what_a_reader_sees_tells_as_much(text, quotes):
    batch = read_batch([text, LONG], quotes=quotes)
    assert can_contain_name(batch.plain(0), "ru") or not CanonicalText(text, quotes=quotes).person_names


def test_markup_alone_is_no_name():
    batch = read_batch(["<p>Продаю <b>диван</b>. [i]Самовывоз[/i] &mdash; <br>звоните", LONG])
    assert batch.plain(0).startswith("\nПродаю диван. Самовывоз — ")
    assert batch.plain(1) == LONG
    assert not can_contain_name(batch.plain(0))
