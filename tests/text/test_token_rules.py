"""The table of token rules: order, kinds, and a row as all that a new kind of token needs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from django_neardup.text.canonical_text import CanonicalText
from django_neardup.text.chunk_cache import chunk_cache
from django_neardup.text.tokens import tokenize
from django_neardup.text.tokens.lexicon import get_lexicon
from django_neardup.text.tokens.token_builders import single_token
from django_neardup.text.tokens.token_pattern import Rule, RuleTable
from django_neardup.text.tokens.token_rules import RULES, TABLE
from tests.text.reading import assert_read

MATCHED = {
    "email": "ivan@mail.ru",
    "link": "http://site.ru/a",
    "handle": "@ivanov",
    "month": "may 12, 2024",
    "used": "б/у",
    "word": "слово",
    "code": "kdl-32",
    "rest": "цена-5",
    "end": "...",
    "phone": "+7 903 123-45-67",
    "date": "12.05.2024",
    "price": "5 тыс. руб.",
    "year": "2015 г.",
    "bare_price": "3500 в месяц",
    "measure": "5 кг",
    "multiplied": "29 тыс.",
    "ordinal": "5-й",
    "house": "14-а",
    "number": "1 000 000",
    "range": "5-8-9",
    "glued": "5шт",
    "figures": "5-а5",
}
HASHTAG = Rule("hashtag", r"#[^\W\d_]+", single_token("tag", str.upper), ("tag",))
SIZE = Rule("size", r"(?:xs|xl|xxl)(?![^\W_])", single_token("size", str.upper), ("size",))
ABBREVIATION = Rule(
    "abbreviation", r"(?:кв|ул)\.", single_token("abbreviation", str.upper), ("abbreviation",)
)


def test_every_rule_has_an_example() -> None:
    assert list(MATCHED) == [rule.name for rule in RULES]


@pytest.mark.parametrize("name", MATCHED)
def test_the_first_rule_that_matches_wins(name: str) -> None:
    match = TABLE.pattern(True, True).match(MATCHED[name])
    assert match and match.lastgroup == name


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.build], ids=lambda rule: rule.name)
def test_a_rule_makes_the_kinds_that_it_names(rule: Rule) -> None:
    match = TABLE.pattern(True, True).match(MATCHED[rule.name])
    assert match and rule.build
    entries = [entry for entry, _, _ in rule.build(get_lexicon("ru", True), match.group(), 0)]
    assert entries and {entry.kind for entry in entries} <= set(rule.kinds)


def test_a_rule_of_addresses_is_left_out_of_a_text_without_them() -> None:
    assert "email" not in TABLE.pattern(False, True).groupindex
    assert "month" not in TABLE.pattern(True, False).groupindex


@pytest.fixture
def more_rules(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Put three rules before the others. No cache knows tokens of other rules."""
    monkeypatch.setattr(tokenize, "TABLE", RuleTable((HASHTAG, SIZE, ABBREVIATION, *RULES)))
    chunk_cache.cache_clear()
    yield
    chunk_cache.cache_clear()


@pytest.mark.usefixtures("more_rules")
@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Продам #диван за 5 тыс. руб.", {"#ДИВАН": "tag", "¤5000₽": "price"}),
        ('Футболка xs, "XXL" (xl) и xml.', {"XS": "size", "XXL": "size", "XL": "size"}),
        ("Сдам кв. на ул. Ленина, кв от 5000 руб.", {"КВ.": "abbreviation", "УЛ.": "abbreviation"}),
    ],
    ids=["hashtag", "size", "abbreviation"],
)
def test_a_row_is_all_that_a_new_kind_needs(text: str, tokens: dict[str, str]) -> None:
    kinds = {token.key: token.kind for token in CanonicalText(text).tokens}
    assert tokens.items() <= kinds.items()
    assert_read(text)
    assert_read(text, language="en")
