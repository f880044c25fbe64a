"""Crafted texts cost linear work and bounded memory, and never an exception."""

from __future__ import annotations

import subprocess
import sys
import unicodedata

import pytest

from django_neardup.text.canonical_text import CanonicalText
from django_neardup.text.normalization.plain_text import MAX_BYTES
from django_neardup.text.tokens.lexicon import LongTextLexicon, get_lexicon
from django_neardup.text.tokens.tokenize import MAX_TOKENS
from tests.hang_guard import hang_guard
from tests.line_counts import count_lines
from tests.text.hostile import HOSTILE, random_words

LONG_ENOUGH = 25_000
"""Characters of a text that is read as a very long one (``LONG_TEXT_CHARACTERS``)."""
BIG = 100_000_000


def make_text(name: str, characters: int) -> str:
    """Make a crafted text of about that many characters."""
    return HOSTILE[name](100 * characters // len(HOSTILE[name](100)))


def _read(text: str) -> None:
    for quotes in ("keep", "drop"):
        document = CanonicalText(text, quotes=quotes, secret=b"secret")
        assert len(document.hashes) == len(document.weights) == len(document)
        assert document.exact_digest


@pytest.mark.long
@pytest.mark.parametrize("name", HOSTILE)
def test_work_is_linear(name: str) -> None:
    """A text twice as long takes twice the lines of Python; quadratic work takes four times as many."""
    short, long = (make_text(name, characters) for characters in (LONG_ENOUGH, 2 * LONG_ENOUGH))
    for text in (short, long):
        _read(text)  # words met first are looked up, later they are in the caches
    assert count_lines(lambda: _read(long)) < 3 * count_lines(lambda: _read(short))


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_a_crafted_megabyte(name: str) -> None:
    """Lines do not count the steps of a regular expression: a quadratic one would hang here."""
    text = make_text(name, MAX_BYTES // 2)
    with hang_guard():
        assert len(CanonicalText(text, quotes="drop").hashes) <= MAX_TOKENS


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["plain", "nested div", "random words", "letters apart", "unclosed comments"]
)
def test_a_hundred_megabytes(name: str) -> None:
    unit = "Продам гараж в хорошем состоянии. " * 100 if name == "plain" else HOSTILE[name](1000)
    text = (unit * (BIG // len(unit.encode()) + 1))[: BIG // (2 if "а" in unit else 1)]
    with hang_guard():
        document = CanonicalText(text)
        assert document.too_long
        assert not document.hashes


MEMORY = """
import resource
from django_neardup.text.canonical_text import CanonicalText
CanonicalText("слово word").tokens
text = {unit!r} * {times}
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
document = CanonicalText(text)
document.hashes, document.exact_digest, document.weights
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in kilobytes on Linux alone")
@pytest.mark.parametrize("unit", ["Продам гараж. ", "1 ", "<div>", "&lt;"])
def test_memory_of_a_hundred_megabytes(unit: str) -> None:
    script = MEMORY.format(unit=unit, times=BIG // len(unit.encode()))
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert int(run.stdout) < 200


def test_number_of_tokens_is_bounded() -> None:
    document = CanonicalText("1 " * MAX_TOKENS + "2 3")
    assert document.too_long
    assert len(document) == 0
    assert not document.tokens


def test_words_and_keys_are_bounded() -> None:
    text = "а" * 5000 + " " + "ab1" * 5000 + " " + "9" * 5000 + " http://a.ru/" + "b" * 5000
    assert all(len(token.key) <= 2010 and len(token.surface) <= 2010 for token in CanonicalText(text).tokens)


def test_runs_of_combining_marks_never_reach_normalisation() -> None:
    """What is not a letter, a figure, a blank or ASCII is cut to 30 in a row: all that has a combining class."""
    assert not [
        char
        for char in map(chr, range(0x110000))
        if unicodedata.combining(char) and (char.isalnum() or char.isspace() or char.isascii())
    ]


def test_a_long_text_of_unknown_words_spends_a_budget() -> None:
    words = random_words(6000)
    entries = LongTextLexicon(get_lexicon("ru", True))
    keys = [entries[word].key for word in words]
    assert entries.remaining_budget <= 0
    assert entries.disguised_word("за6ор") is None
    assert keys[-1000:] == [entries.shared_lexicon.fold_surface(word) for word in words[-1000:]]
    again = LongTextLexicon(get_lexicon("ru", True))
    assert get_lexicon("ru", True).disguised_word("за6ор") == "забор"
    assert [again[word].key for word in words] == keys


def test_same_tokens_whatever_was_read_before() -> None:
    text = " ".join(random_words(9000))
    first = CanonicalText(text).exact_digest
    CanonicalText(" ".join(reversed(text.split()))).tokens  # noqa: B018
    assert CanonicalText(text).exact_digest == first


def test_a_megabyte_is_read_whole() -> None:
    text = "слово " * (MAX_BYTES // 11)
    document = CanonicalText(text)
    assert not document.too_long
    assert len(document) == MAX_BYTES // 11
