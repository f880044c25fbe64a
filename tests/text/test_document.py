"""One text and its views."""

from __future__ import annotations

import subprocess
import sys

import pytest

from django_neardup.text import Document, canonical_contact, hash_word
from django_neardup.text.stopwords import NEGATIONS, NUMERALS, STOP

PILE = "Система реализует Б/у металлоформы свай {} в хорошем рабочем состоянии. Подробности по телефону или заявке."


def test_adverts_of_piles_differ_in_their_codes() -> None:
    a, b = Document(PILE.format("С140.35")), Document(PILE.format("С90.30"))
    assert a.codes == {"c140.35"}
    assert b.codes == {"c90.30"}
    assert a.exact != b.exact
    assert len(a) == len(b) == 16
    different = [i for i, (x, y) in enumerate(zip(a.hashes, b.hashes)) if x != y]
    assert [a.tokens[i].key for i in different] == ["c140.35"]


@pytest.mark.parametrize("text", ["", " \n\t", "...", "<b></b>", "\0", "🔥", "<script>слово</script>"])
def test_texts_without_words(text: str) -> None:
    document = Document(text)
    assert (len(document), document.words, document.content_words, document.weight) == (0, 0, 0, 0)
    assert (
        document.tokens
        == document.sentences
        == document.hashes
        == document.weights
        == document.contacts
        == ()
    )
    assert document.codes == frozenset()
    assert document.exact == Document("").exact
    assert not document.truncated


def test_one_word() -> None:
    document = Document("Стулья")
    assert [token.key for token in document.tokens] == ["стул"]
    assert document.sentences == ((0, 1),)
    assert document.hashes == (hash_word("стул"),)
    assert document.weight == pytest.approx(1.0)


def test_stop_words_only() -> None:
    document = Document("и в на он это")
    assert document.words == 5
    assert document.content_words == 0
    assert document.weight == pytest.approx(5 * 0.35)


def test_weights() -> None:
    document = Document("Свая С140.35 и 5 кг за 5000 руб, 12.05.2024, т. 8 903 123-45-67, не")
    weights = {token.key: weight for token, weight in zip(document.tokens, document.weights)}
    assert weights["c140.35"] == weights["5"] == 2
    assert weights["и"] == 0.35
    assert weights["не"] == pytest.approx(0.8)
    assert weights["свая"] == pytest.approx(1.0)
    assert weights["tel:9031234567"] <= weights["¤5000₽"] <= weights["2024-05-12"] < 1
    assert document.weight == pytest.approx(sum(document.weights))


def test_secret_keys_hashes_and_digest() -> None:
    a, b, again = (
        Document("слово", secret=b"a"),
        Document("слово", secret=b"b"),
        Document("слово", secret=b"a"),
    )
    assert a.hashes == again.hashes != b.hashes
    assert a.exact == again.exact != b.exact


def test_contacts_are_listed_once() -> None:
    document = Document("8 903 123-45-67, +7 (903) 1234567, a@b.ru, site.ru, @ivan_p")
    assert document.contacts == ("tel:9031234567", "mailto:a@b.ru", "url:site.ru", "@ivan_p")


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ("8 (903) 123-45-67", "tel:9031234567"),
        ("+79031234567", "tel:9031234567"),
        ("903 1234567", "tel:9031234567"),
        ("12-34-56", "tel:123456"),
        (" Ivan@Mail.RU ", "mailto:ivan@mail.ru"),
        ("https://www.Site.ru/a/", "url:site.ru/a"),
        ("vk.com/ivan", "url:vk.com/ivan"),
        ("@Ivan_P", "@ivan_p"),
        ("Иван Петров", "иван петров"),
        ("", ""),
    ],
)
def test_contacts_given_by_themselves(value: str, wanted: str) -> None:
    assert canonical_contact(value) == wanted


@pytest.mark.parametrize(
    "value", ["8 (903) 123-45-67", "Ivan@Mail.RU", "https://www.site.ru/a/?utm_source=x", "@Iv_P"]
)
def test_a_field_and_a_mention_compare(value: str) -> None:
    assert Document(f"пишите: {value}, спасибо").contacts == (canonical_contact(value),)


def test_quotations() -> None:
    text = "Согласен [quote]Продам гараж[/quote] спасибо"
    assert len(Document(text)) == 4
    assert len(Document(text, quotes="drop")) == 2
    with pytest.raises(ValueError, match="keep"):
        Document(text, quotes="forget")


@pytest.mark.parametrize(
    ("language", "text", "wanted"),
    [
        ("ru", "Продаём красивые стулья и chairs", "продавать красивый стул и chair"),
        ("uk", "Продаємо гарні стільці", "продавати гарний стілець"),
        ("en", "Selling beautiful chairs", "sell beauti chair"),
        ("de", "Häuser verkaufen", "haus verkauf"),
        ("en-GB", "Selling chairs", "sell chair"),
        ("fr", "l'homme et les maisons", "l homm et le maison"),
        ("zh", "selling 房子", "selling 房 子"),
        ("xx", "Selling chairs", "selling chairs"),
    ],
)
def test_languages(language: str, text: str, wanted: str) -> None:
    assert " ".join(token.key for token in Document(text, language=language).tokens) == wanted


def test_script() -> None:
    assert Document("Продам iPhone").cyrillic
    assert not Document("Selling iPhone").cyrillic
    advert = "Продам смартфоны Samsung Galaxy, Xiaomi Redmi"
    assert Document(advert).cyrillic
    assert not Document(advert, language="en").cyrillic
    assert Document("сахар").cyrillic
    assert Document("Пишите на https://www.very-long-name-of-a-site.com/some/path/of/it").cyrillic


def test_word_lists() -> None:
    assert not STOP & NEGATIONS
    assert {"не", "нет", "без", "ни", "not", "no", "without"} <= NEGATIONS
    assert len(STOP) < 300
    assert (NUMERALS["два"], NUMERALS["twenty"], NUMERALS["десять"]) == ("2", "20", "10")
    assert "один" not in NUMERALS


def test_repr_and_truth() -> None:
    assert len(repr(Document("слово " * 100))) < 100
    assert Document("")


def test_importing_the_core_loads_nothing_heavy() -> None:
    script = (
        "import sys, django_neardup.text\n"
        "heavy = {'pymorphy3', 'numpy', 'snowballstemmer', 'django', 'rapidfuzz'} & set(sys.modules)\n"
        "sys.exit(' '.join(sorted(heavy)) or 0)"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (0, "")
