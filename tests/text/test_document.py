"""One text and its views."""

from __future__ import annotations

import subprocess
import sys

import pytest

from django_neardup.text import CanonicalText, canonical_contact, hash_word
from django_neardup.text.tokens.stopwords import NEGATIONS, STOP_WORDS

PILE = "Система реализует Б/у металлоформы свай {} в хорошем рабочем состоянии. Подробности по телефону или заявке."


def test_adverts_of_piles_differ_in_their_codes() -> None:
    a, b = CanonicalText(PILE.format("С140.35")), CanonicalText(PILE.format("С90.30"))
    assert a.codes == {"c140.35"}
    assert b.codes == {"c90.30"}
    assert a.exact_digest != b.exact_digest
    assert len(a) == len(b) == 15
    different = [i for i, (x, y) in enumerate(zip(a.hashes, b.hashes)) if x != y]
    assert [a.tokens[i].key for i in different] == ["c140.35"]


@pytest.mark.parametrize("text", ["", " \n\t", "...", "<b></b>", "\0", "<script>слово</script>"])
def test_texts_without_words(text: str) -> None:
    document = CanonicalText(text)
    assert (len(document), document.word_count, document.content_word_count, document.total_weight) == (
        0,
        0,
        0,
        0,
    )
    assert (
        document.tokens
        == document.sentences
        == document.hashes
        == document.weights
        == document.contacts
        == ()
    )
    assert document.codes == frozenset()
    assert document.exact_digest == CanonicalText("").exact_digest
    assert not document.too_long


def test_an_emoji_is_no_word_and_belongs_to_the_exact_form() -> None:
    assert (len(CanonicalText("🔥")), CanonicalText("Гараж 🔥").hashes) == (0, CanonicalText("Гараж").hashes)
    assert CanonicalText("🔥").exact_digest != CanonicalText("").exact_digest


def test_one_word() -> None:
    document = CanonicalText("Стулья")
    assert [token.key for token in document.tokens] == ["стул"]
    assert document.sentences == ((0, 1),)
    assert document.hashes == (hash_word("стул"),)
    assert document.total_weight == pytest.approx(1.0)


def test_stop_words_only() -> None:
    document = CanonicalText("и в на он это")
    assert document.word_count == 5
    assert document.content_word_count == 0
    assert document.total_weight == pytest.approx(5 * 0.35)


def test_weights() -> None:
    document = CanonicalText("Свая С140.35 и 5 кг за 5000 руб, 12.05.2024, т. 8 903 123-45-67, не")
    weights = {token.key: weight for token, weight in zip(document.tokens, document.weights)}
    assert weights["c140.35"] == weights["5000"] == 2
    assert weights["и"] == 0.35
    assert weights["не"] == pytest.approx(0.8)
    assert weights["свая"] == pytest.approx(1.0)
    assert weights["tel:9031234567"] <= weights["¤5000₽"] <= weights["2024-05-12"] < 1
    assert document.total_weight == pytest.approx(sum(document.weights))


def test_secret_keys_hashes_and_digest() -> None:
    a, b, again = (
        CanonicalText("слово", secret=b"a"),
        CanonicalText("слово", secret=b"b"),
        CanonicalText("слово", secret=b"a"),
    )
    assert a.hashes == again.hashes != b.hashes
    assert a.exact_digest == again.exact_digest != b.exact_digest


def test_contacts_are_listed_once() -> None:
    document = CanonicalText("8 903 123-45-67, +7 (903) 1234567, a@b.ru, site.ru, @ivan_p")
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
    assert CanonicalText(f"пишите: {value}, спасибо").contacts == (canonical_contact(value),)


def test_quotations() -> None:
    text = "Согласен [quote]Продам гараж[/quote] спасибо"
    assert len(CanonicalText(text)) == len(CanonicalText(text, quotes="drop")) == 4
    longer = f"{text} за подробный ответ"
    assert (len(CanonicalText(longer)), len(CanonicalText(longer, quotes="drop"))) == (7, 5)
    with pytest.raises(ValueError, match="keep"):
        CanonicalText(text, quotes="forget")


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
    assert " ".join(token.key for token in CanonicalText(text, language=language).tokens) == wanted


def test_script() -> None:
    assert CanonicalText("Продам iPhone").is_cyrillic
    assert not CanonicalText("Selling iPhone").is_cyrillic
    advert = "Продам смартфоны Samsung Galaxy, Xiaomi Redmi"
    assert CanonicalText(advert).is_cyrillic
    assert not CanonicalText(advert, language="en").is_cyrillic
    assert CanonicalText("сахар").is_cyrillic
    assert CanonicalText("Пишите на https://www.very-long-name-of-a-site.com/some/path/of/it").is_cyrillic


def test_word_lists() -> None:
    assert not STOP_WORDS & NEGATIONS
    assert {"не", "нет", "без", "ни", "not", "no", "without"} <= NEGATIONS
    assert len(STOP_WORDS) < 300


def test_repr_and_truth() -> None:
    assert len(repr(CanonicalText("слово " * 100))) < 100
    assert CanonicalText("")


def test_importing_the_core_loads_nothing_heavy() -> None:
    script = (
        "import sys, django_neardup.text\n"
        "heavy = {'pymorphy3', 'numpy', 'snowballstemmer', 'django', 'rapidfuzz'} & set(sys.modules)\n"
        "sys.exit(' '.join(sorted(heavy)) or 0)"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (0, "")
