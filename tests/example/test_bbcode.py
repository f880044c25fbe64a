"""Messages to HTML, without a server."""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location

import pytest

from tests.example.conftest import PROJECT
from tests.hang_guard import hang_guard

spec = spec_from_file_location("example_bbcode", PROJECT / "forum" / "bbcode.py")
bbcode = module_from_spec(spec)
spec.loader.exec_module(bbcode)


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("[b]a[/b] b [B]c[/B]", "<p><b>a</b> b <b>c</b></p>"),
        ("[b][i]a[/i][/b]", "<p><b><i>a</i></b></p>"),
        ("[b]a [b]b[/b]", "<p>[b]a <b>b</b></p>"),
        ("[code]a\nb[/code]", "<p><code>a<br>b</code></p>"),
        ("[url=https://a.org/]a[/url]", '<p><a href="https://a.org/" rel="nofollow ugc">a</a></p>'),
        ("[url=javascript:x]a[/url]", "<p>[url=javascript:x]a[/url]</p>"),
    ],
)
def test_marks(text, html):
    assert bbcode.to_html(text) == html


@pytest.mark.parametrize("mark", ["[b]", "[i]", "[code]", "[url=http://a]", "[url=http://", "[quote]", "[b="])
def test_marks_that_are_never_closed_take_no_time(mark):
    """A look at the rest of the text for each mark would take an hour."""
    text = mark * 200_000
    with hang_guard():
        assert len(bbcode.to_html(text)) >= len(text)
        assert len(bbcode.own_words(text)) <= len(text)
