"""Classes of words from a file."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from django_neardup.text import CanonicalText, Synonyms

FILE = """\ufeff# жалобы
болеть, недомогать хворать   # первое слово стоит за все
врач,доктор , лекарь

phone cellphone
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "classes.txt"
    path.write_text(FILE, "utf-8")
    return path


def written(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    return path


def keys(text: str, synonyms: Synonyms | None) -> str:
    return " ".join(token.key for token in CanonicalText(text, synonyms=synonyms).tokens)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Недомогаю второй день", "болеть 2 день"),
        ("Захворал", "захворать"),
        ("хворая, НЕДОМОГАЛ", "болеть болеть"),
        ("Доктора нет", "врач нет"),
        ("Врачу", "врач"),
        ("купил cellphones", "купить phone"),
        ("слово", "слово"),
        ("", ""),
    ],
)
def test_a_word_of_a_class_is_its_first(path: Path, text: str, wanted: str) -> None:
    assert keys(text, Synonyms.load(path)) == wanted


def test_without_a_file_words_are_themselves() -> None:
    assert keys("Недомогаю второй день", None) == "недомогать 2 день"


def test_get(path: Path) -> None:
    synonyms = Synonyms.load(path)
    assert (
        synonyms.leading_key("недомогать"),
        synonyms.leading_key("болеть"),
        synonyms.leading_key("стул"),
    ) == (
        "болеть",
        None,
        None,
    )
    assert len(synonyms) == 5


def test_what_the_reader_sees_stays(path: Path) -> None:
    text = "Он сильно хворал"
    plain, changed = CanonicalText(text), CanonicalText(text, synonyms=Synonyms.load(path))
    assert [token._replace(key="") for token in plain.tokens] == [
        token._replace(key="") for token in changed.tokens
    ]
    assert plain.sentences == changed.sentences


def test_texts_that_differ_in_synonyms_have_equal_hashes_and_are_no_exact_copies(path: Path) -> None:
    synonyms = Synonyms.load(path)
    a = CanonicalText("Недомогаю, был доктор", synonyms=synonyms)
    b = CanonicalText("Болею, был врач", synonyms=synonyms)
    assert a.hashes == b.hashes != CanonicalText(a.raw).hashes
    assert a.exact_digest == CanonicalText(a.raw).exact_digest != b.exact_digest


def test_only_words_are_replaced() -> None:
    synonyms = Synonyms(
        "made", {"изба": "дом", "c140.35": "дом", "2": "дом", "5": "дом", "tel:9031234567": "дом"}
    )
    text = "изба С140.35, 5 кг, 8 903 123-45-67, два, 12.05.2024, 500 руб"
    before = [token.key for token in CanonicalText(text).tokens]
    after = [token.key for token in CanonicalText(text, synonyms=synonyms).tokens]
    assert after == ["дом", *before[1:]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("кот кошка\n\n# коты\nпес кошками", "line 4: 'кошками' is in the class of line 1"),
        ("кот\nкот", "line 2: 'кот' is in the class of line 1"),
        ("свая С140.35", "line 1: 'С140.35' is not one word"),
        ("кот\nсвая и/или", "line 2: 'и/или' is not one word"),
        ("десяток десять", "line 1: 'десять' is not one word"),
        ("дом !", "line 1: '!' is not one word"),
    ],
)
def test_mistakes_are_told_with_their_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Synonyms.load(written(tmp_path / "wrong.txt", text))


def test_forms_of_one_word_may_stand_in_one_class(tmp_path: Path) -> None:
    synonyms = Synonyms.load(written(tmp_path / "forms.txt", "кот кота котик"))
    assert (synonyms.leading_key("котик"), synonyms.leading_key("кот")) == ("кот", None)


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Synonyms.load(tmp_path / "absent.txt")


def test_the_digest_names_the_content(path: Path, tmp_path: Path) -> None:
    synonyms = Synonyms.load(path)
    dressed = written(
        tmp_path / "other.txt", "phone cellphones\nврачи доктор лекарь\nболеет хворать недомогает"
    )
    changed = written(tmp_path / "changed.txt", FILE.replace("лекарь", "знахарь"))
    turned = written(tmp_path / "turned.txt", FILE.replace("болеть, недомогать", "недомогать, болеть"))
    assert Synonyms.load(dressed) == synonyms
    assert hash(Synonyms.load(dressed)) == hash(synonyms)
    assert len({synonyms.digest, Synonyms.load(changed).digest, Synonyms.load(turned).digest}) == 3
    assert len(synonyms.digest) == 32
    assert int(synonyms.digest, 16)


def test_an_empty_file(tmp_path: Path) -> None:
    synonyms = Synonyms.load(written(tmp_path / "empty.txt", "# ничего\n\n"))
    assert len(synonyms) == 0
    assert keys("слово", synonyms) == "слово"


def test_other_languages() -> None:
    synonyms = Synonyms.from_classes([["flat", "apartments"]], "en")
    assert CanonicalText("Two apartments", language="en", synonyms=synonyms).tokens[1].key == "flat"


def test_they_travel_and_do_not_change(path: Path) -> None:
    synonyms = Synonyms.load(path)
    assert pickle.loads(pickle.dumps(synonyms)).leading_key("хворать") == "болеть"
    with pytest.raises(AttributeError):
        synonyms.digest = ""  # type: ignore[misc]
