"""The plain text is one, whether the places of its characters are asked for or not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from django_neardup.text.normalization.offsets import PlainText
from django_neardup.text.normalization.plain_text import plain_text
from django_neardup.text.word_lists import word_set
from tests.fuzzing import examples
from tests.text.hostile import HOSTILE

MARKS = sorted(
    word_set(
        r"""
        <b> </b> <B/> <br/> </style <script> </script> <template <blockquote> </blockquote> <x:y> <!-- --> <!x> <?y?>
        <![CDATA[ ]]> <i <td < > =" =' " ' = / & &amp; &amp;lt; &lt; &#38; &#x26; &#1; &#0; &#99999999; &nbsp; &nosuch;
        &amp;amp;amp;amp;lt; AT&T amp; lt; [b] [/b] [i] [*] [hr] [1] [url=a] [quote] [/quote]
        ]( (a.ru) ** ~~ * _ w слово
        \\ \\1
        """
    )
)
TAGS = [
    '<p class="x">',
    "<a href='y' title=z>",
    '<a href="x>y">',
    '<a b"c">',
    '<a =" >',
    '<a = "b">',
    "<br />",
    "</ p>",
]
PIECES = [*MARKS, *TAGS, " ", "\n"]


@examples(500)
@given(st.lists(st.sampled_from(PIECES), max_size=12), st.sampled_from(["keep", "drop"]))
def test_any_markup(pieces: list[str], quotes: str) -> None:
    raw = "".join(pieces)
    assert plain_text(raw, quotes, PlainText).text == plain_text(raw, quotes).text


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts(name: str) -> None:
    for raw in (HOSTILE[name](50), HOSTILE[name](20_000)):
        assert plain_text(raw, text_class=PlainText).text == plain_text(raw).text
