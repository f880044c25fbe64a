"""Crafted texts cost linear time and bounded memory, and never an exception."""

from __future__ import annotations

import gc
import subprocess
import sys
import time
import unicodedata
from collections.abc import Iterator

import pytest

from django_neardup.text.canonical_text import CanonicalText
from django_neardup.text.normalization.plain_text import MAX_BYTES
from django_neardup.text.tokens.lexicon import LongTextLexicon, get_lexicon
from django_neardup.text.tokens.tokenize import MAX_TOKENS
from tests.text.hostile import HOSTILE, random_words

SIZE = 4_000
GROWTH = 4
# Linear is 4, quadratic 16; the rest is noise of a busy machine and of texts that pass a cache's size.
TOLERATED = 9.0
NOISE = 0.04
TRIES = 8
BIG = 100_000_000


def _read(text: str) -> None:
    for quotes in ("keep", "drop"):
        document = CanonicalText(text, quotes=quotes, secret=b"secret")
        assert len(document.hashes) == len(document.weights) == len(document)
        assert document.exact_digest


def _seconds(text: str) -> float:
    begin = time.process_time()
    _read(text)
    return time.process_time() - begin


@pytest.fixture
def uncollected() -> Iterator[None]:
    """Times are of the texts alone, not of a collection of all that the tests before have left."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.slow
@pytest.mark.usefixtures("uncollected")
@pytest.mark.parametrize("name", HOSTILE)
def test_time_is_linear(name: str) -> None:
    """At the best of several tries: a busy machine spoils one, a quadratic way fails them all."""
    texts = [HOSTILE[name](size) for size in (SIZE, SIZE * GROWTH)]
    for text in texts:
        _read(text)  # words met first are looked up, later they are in the caches
    tries: list[list[float]] = []
    while len(tries) < TRIES:
        tries.append([_seconds(text) for text in texts])
        small, large = (min(times) for times in zip(*tries, strict=True))
        if large <= max(small, NOISE) * TOLERATED:
            return
    pytest.fail(f"{large:.3f} s for a text {GROWTH} times as long as one of {small:.3f} s")


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["plain", "nested div", "random words", "letters apart", "unclosed comments"]
)
def test_a_hundred_megabytes(name: str) -> None:
    unit = "Продам гараж в хорошем состоянии. " * 100 if name == "plain" else HOSTILE[name](1000)
    text = (unit * (BIG // len(unit.encode()) + 1))[: BIG // (2 if "а" in unit else 1)]
    CanonicalText("слово word").tokens  # noqa: B018 (dictionaries are loaded once)
    begin = time.process_time()
    document = CanonicalText(text)
    assert document.truncated
    assert len(document.hashes) <= MAX_TOKENS
    assert time.process_time() - begin < 4.0  # about 1 on an idle machine


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
    assert len(document) == MAX_TOKENS
    assert document.truncated


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
    assert keys[-1000:] == [entries.shared_lexicon.fold_surface(word) for word in words[-1000:]]
    again = LongTextLexicon(get_lexicon("ru", True))
    assert [again[word].key for word in words] == keys


def test_same_tokens_whatever_was_read_before() -> None:
    text = " ".join(random_words(9000))
    first = CanonicalText(text).exact_digest
    CanonicalText(" ".join(reversed(text.split()))).tokens  # noqa: B018
    assert CanonicalText(text).exact_digest == first


def test_a_megabyte_is_read_whole() -> None:
    text = "слово " * (MAX_BYTES // 11)
    document = CanonicalText(text)
    assert not document.truncated
    assert len(document) == MAX_BYTES // 11
