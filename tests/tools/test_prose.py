"""The instruments of `make prose` on small texts."""

from pathlib import Path
from textwrap import dedent

import pytest

from tools.passages import (
    comment_passages,
    docstring_passages,
    markdown_passages,
    message_passages,
    template_passages,
    unique,
)
from tools.prose import by_file, measure, table, worst_places
from tools.sources import Source
from tools.turns import count_words, find_turns


def lines_and_texts(passages):
    return [(passage.line, passage.text) for passage in passages]


def passages(text):
    return list(markdown_passages("page.md", dedent(text)))


@pytest.mark.parametrize(
    "text",
    [
        "Return those that match.", "a list, the first of which wins", "Nobody asks.", "It is built anew.",
        "the same but for its dress", "as though it were new", "Rows are to be deleted.", "by the key alone",
        "They were told.", "None, or else an error", "So far as it goes",
    ],
)  # fmt: skip
def test_an_archaic_turn_is_found(text):
    assert [turn.is_archaic for turn in find_turns(text)] == [True]


@pytest.mark.parametrize(
    "text",
    ["What is stored of a text.", "None where there is none.", "all that wait", "Rows. Where empty, zero."],
)
def test_a_neighbour_is_found(text):
    assert [turn.is_archaic for turn in find_turns(text)] == [False]


@pytest.mark.parametrize(
    "text",
    [
        "Return the posts of one author.", "What is a cluster?", "Alone, a worker waits.",
        "if `nobody` is set",
        "no more than 20 rows", "the place where keys are stored", "a toldable elsewhere",
    ],
)  # fmt: skip
def test_plain_english_has_no_turn(text):
    assert find_turns(text) == []


def test_a_place_counts_once():
    assert [turn.text for turn in find_turns("nothing else, but those\nthat remain")] == [
        "nothing else",
        "those that",
    ]


def test_code_is_not_counted_as_words():
    assert count_words("Return ``None`` if `row.pk` isn't set, 3 times") == 5


def test_docstrings_are_split_into_paragraphs():
    source = Source(
        Path("a.py"),
        'def f():\n    """First.\n\n    Second,\n    goes on."""\n    return "no"\n\nA = 1\n"""Third."""\n',
    )
    assert [(line, " ".join(text.split())) for line, text in lines_and_texts(docstring_passages(source))] == [
        (9, "Third."), (2, "First."), (4, "Second, goes on."),
    ]  # fmt: skip


def test_comments_on_adjacent_lines_are_one_passage():
    source = Source(Path("a.py"), '# One\n# two.\nA = 1  # Three.\nB = "# no"  # noqa: E501\n')
    assert lines_and_texts(comment_passages(source)) == [(1, "One\ntwo."), (3, "Three.")]


def test_code_blocks_of_markdown_are_left_out():
    page = """\
        # Title

        Text with a [link](nobody.md).

        ```python
        nobody
        ```
        - one
        - two
        """
    assert lines_and_texts(passages(page)) == [
        (1, "# Title"), (3, "Text with a [link] ."), (8, "- one"), (9, "- two"),
    ]  # fmt: skip


def test_messages_of_a_catalogue():
    catalogue = dedent(
        r"""
        msgid ""
        msgstr "Language: ru\n"

        #: views.py
        msgid ""
        "Nobody "
        "said \"no\""
        msgstr "x"

        msgid "post"
        msgid_plural "posts"
        msgstr[0] "x"
        """
    )
    found = list(message_passages("django.po", catalogue))
    assert lines_and_texts(found) == [(6, 'Nobody said "no"'), (11, "post"), (12, "posts")]
    assert unique(found * 2) == found


def test_templates_keep_only_text_that_is_not_translated():
    template = (
        '{# no #}<p title="no">Text {{ value }}</p>\n\n'
        "{% blocktranslate %}no{% endblocktranslate %}<b>end</b>"
    )
    assert lines_and_texts(template_passages("a.html", template)) == [(1, "Text"), (3, "end")]


PAGE = """
    Nobody asks. Those that wait are told.

    What is stored of a text is the key.

    A plain sentence.
    """


def test_rates_and_worst_places():
    rate = measure(passages(PAGE))
    assert (rate.words, rate.archaic, rate.turns) == (19, 3, 4)
    assert rate.per_thousand(rate.archaic) == pytest.approx(1000 * 3 / 19)
    assert [place.passage.line for place in worst_places(passages(PAGE), 5)] == [2, 4]
    assert by_file(passages(PAGE)).split() == ["3", "4", "page.md"]
    assert table({"docs": rate}).splitlines()[1].split() == ["docs", "19", "3", "157.9", "4", "210.5"]


def test_an_empty_corpus_has_a_rate():
    assert measure([]).per_thousand(0) == 0
