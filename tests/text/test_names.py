"""People's names found in texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from django_neardup.text import CanonicalText, Synonyms
from django_neardup.text.tokens import person_names as names_module


def names(text: str, **options: str) -> str:
    """Names that a text holds, separated by bars."""
    return " | ".join(CanonicalText(text, **options).person_names)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    [
        "Иванов Иван Иванович",
        "Иван Иванович Иванов",
        "Звоните Ивану Ивановичу Иванову.",
        "ИВАНОВ ИВАН ИВАНОВИЧ, директор",
        "<b>Иванов</b> Иван&nbsp;Иванович",
        "[b]Иванов[/b] Иван Иванович",
        "Спросить Иванова Ивана Ивановича",
    ],
)
def test_any_order_and_case_is_one_name(text: str) -> None:
    assert names(text) == "иванов иван иванович"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Иванов И. И. приехал", "иванов и. и."),
        ("приехал И.И. Иванов", "иванов и. и."),
        ("приехал И.И.Иванов и А.С.Пушкин", "иванов и. и. | пушкин а. с."),
        ("Письмо Пушкину А.С.", "пушкин а. с."),
        ("А. Пушкин", "пушкин а."),
        ("Пушкин А.", "пушкин а."),
        ("Хуссейнизаде А. Б.", "хуссейнизаде а. б."),
        ("Салтыков-Щедрин М. Е.", "салтыков-щедрин м. е."),
        ("Директор И. И. Иванов", "иванов и. и."),
    ],
)
def test_initials(text: str, wanted: str) -> None:
    assert names(text) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Вера Петрова", "петров вера"),
        ("Петровой Анне Сергеевне", "петров анна сергеевич"),
        ("Петрова Анна и её муж", "петров анна"),
        ("Анна Петровна ответит", "анна петрович"),
        ("Тарас Шевченко", "шевченко тарас"),
        ("Римский-Корсаков Николай", "римский-корсаков николай"),
        ("Иван Петров, Анна Орлова и Петров Иван", "петров иван | орлов анна"),
        ("Фёдор Козлов", "козлов федор"),
    ],
)
def test_two_parts(text: str, wanted: str) -> None:
    assert names(text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Звоните Ивану",
        "Вера сказала, что приедет",
        "Мебель Иванова",
        "Иван да Марья",
        "Анна, Петров",
        "Приехал Иван. Петров уехал",
        "Приехал Иван\nПетров уехал",
        "Иван Петрова",
        "у Петровых Иван",
        "иван петров",
        "Нижний Новгород",
        "Продам Стул",
        "И. И. И.",
        "Москва А. Б.",
        "И Иванов",
        "Петров, А. Б.",
        "В 2010 г. Петров",
        "\0 Ив\ud800 \0",
        "Ivan Petrov",
    ],
)
def test_not_names(text: str) -> None:
    assert names(text) == ""


def test_each_once_in_order() -> None:
    text = "Пушкин А. С. и Иван Петров. Ивана Петрова видел А. С. Пушкин."
    assert CanonicalText(text).person_names == ("пушкин а. с.", "петров иван")


def test_homoglyphs_make_no_difference() -> None:
    assert names("Петpов A. C.") == names("Петров А. С.") == "петров а. с."


def test_ukrainian_and_languages_without_a_dictionary() -> None:
    assert names("Шевченко Тарас Григорович", language="uk") == "шевченко тарас григорович"
    assert names("Ivan Petrov", language="en") == ""
    assert names("Иван Петров", language="en") == ""


def test_names_do_not_depend_on_synonyms() -> None:
    text = "Иван Петров"
    synonyms = Synonyms.from_classes([["человек", "иван"]])
    assert (
        CanonicalText(text, synonyms=synonyms).person_names
        == CanonicalText(text).person_names
        == ("петров иван",)
    )


def test_very_many_capitals_are_not_all_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(names_module, "MAX_CAPITALIZED_WORDS", 4)
    assert names("Иван Петров, Анна Орлова, Вера Козлова") == "петров иван | орлов анна"


PIECES = st.sampled_from(
    [
        "Иванов",
        "Иван",
        "И.",
        "Петровна",
        "-",
        " ",
        "\n",
        ". ",
        "и",
        "<b>",
        "[b]",
        "&nbsp;",
        "Ё.",
        "\ud800",
        "\0",
        "Анна",
    ]
)


@given(st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=20).map("".join)))
def test_any_text_has_whole_names_or_none(text: str) -> None:
    found = CanonicalText(text).person_names
    assert len(set(found)) == len(found)
    assert all(len(name.split()) in (2, 3) for name in found)
