"""Markup out.  Notation: raw text, ``|``, words of the plain text; ``/`` is a line's end."""

from __future__ import annotations

import pytest

from django_neardup.text.normalization.plain_text import MAX_BYTES, own_text, plain_text

OWN_WORDS = "свои слова пяти слов достаточно"

KEEP = """
<b>с</b>вая                                          | свая
за<span style="color:red">мет</span>ка               | заметка
про<wbr>дам, про<!-- x -->дам                        | продам, продам
<p>раз</p><p>два</p>                                 | раз / два
раз<br>два<br />три<BR>четыре                        | раз / два / три / четыре
<tr><td>раз</td><td>два</td></tr>                    | раз / два
раз<img src=x>два                                    | раз два
<a title="a>b" href=x>ссылка</a>                     | ссылка
<a title='a>b' data-x="<b>">ссылка</a>               | ссылка
<a title = "a>b">ссылка</a>                          | ссылка
<p class=x>don't "stop"</p>                          | don't "stop"
<input value="раз"two>слово                          | слово
<script>var a = "<b>" < 1;</script>раз               | раз
раз<STYLE type="a">p {}</STYLE >два                  | раз два
<script>раз                                          | раз
<!-- раз --> два <!-- три                            | два три
<!DOCTYPE html>раз<?php echo 1 ?>два                 | раздва
<![CDATA[раз]]>                                      | раз]]>
a < b > c, 1<2, <3                                   | a < b > c, 1<2, <3
если a <b и c                                        | если a <b и c
<нечто> <1>                                          | <нечто> <1>
<ivan@mail.ru> <https://a.ru/b>                      | <ivan@mail.ru> <https://a.ru/b>
HashMap<K, V>                                        | HashMap<K, V>
<a href="x" <b>раз</b>                               | <a href="x" раз
<a href="раз                                         | <a href="раз
<o:p>раз</o:p><my-tag>два</my-tag>                   | раздва
&laquo;раз&raquo;&nbsp;&mdash; &#1076;&#x432;а        | «раз» — два
&lt;b&gt;раз&lt;/b&gt;                               | <b>раз</b>
&amp;lt;раз&amp;amp;                                 | <раз&
a=1&copy=2&section=3 &nosuch; &;                     | a=1&copy=2&section=3 &nosuch; &;
[b]жир[/b]ный [i]кур[/i]сив                          | жирный курсив
[color=red]раз[/color] [size="4"]два[/size]          | раз два
[url=http://a.ru]раз[/url] [url]a.ru[/url]           | раз a.ru
[quote=Вася]раз[/quote]два                           | раз / два
[list][*]раз[*]два[/list]                            | раз / два
[img]http://a.ru/b.png[/img]раз                      | раз
раз[hr]два                                           | раз / два
a[i] = b[j]; [s] [12] [сн]                           | a[i] = b[j]; [s] [12] [сн]
[раз](http://a.ru/x_y "два") ![три](a.png)           | [раз] ![три]
f[0](x) [раз] (два)                                  | f[0](x) [раз] (два)
**с**вая *с*вая с**ва**я сва~~я~~                    | свая свая свая свая
2*3*4 a**b                                           | 2*3*4 a**b
> цитата                                             | > цитата
"""

DROP = """
раз <blockquote>два <blockquote>три</blockquote> четыре</blockquote> пять  | раз / пять
[quote=Вася]раз [QUOTE]два[/QUOTE][/quote]три                              | три
<blockquote cite="a>b">раз</blockquote>два                                 | два
> раз / >> два / три / > четыре                                            | три
  &gt; раз / два                                                           | два
<p>&gt; раз</p><p>два</p>                                                  | два
<blockquote>раз                                                            | раз
раз</blockquote>два                                                        | раз / два
[quote]раз<blockquote>два[/quote]три</blockquote>четыре                    | четыре
a > b                                                                      | a > b
раз / -- / Иван                                                            | раз
"""

FEW_OWN_WORDS = """
[quote]раз[/quote] один два три четыре      | раз / один два три четыре
[quote]раз[/quote] один два три четыре пять | один два три четыре пять
> раз / -- / Иван                           | > раз
<blockquote>раз                             | раз
"""

SIGNATURES = """
Продам гараж / -- / Иван Петров             | Продам гараж
Продам гараж. / --  / Иван / тел. 5         | Продам гараж.
раз / -- / два / -- / три                   | раз
-- / Иван                                   | -- / Иван
Продам -- / гараж                           | Продам -- / гараж
раз / --- / два                             | раз / --- / два
раз / - два / - три                         | раз / - два / - три
"""


def _cases(table: str) -> list[tuple[str, str]]:
    rows = [line.rpartition(" |")[::2] for line in table.strip("\n").splitlines()]
    return [(raw.rstrip().replace(" / ", "\n"), wanted.strip()) for raw, wanted in rows]


def _line(text: str) -> str:
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return " / ".join(line for line in lines if line)


@pytest.mark.parametrize(("raw", "wanted"), _cases(KEEP))
def test_plain_text(raw: str, wanted: str) -> None:
    assert _line(plain_text(raw).text) == wanted


@pytest.mark.parametrize(("raw", "wanted"), _cases(DROP))
def test_quotations_and_signatures_are_no_own_words(raw: str, wanted: str) -> None:
    own = own_text(raw)
    assert _line(own) == wanted
    assert _line(plain_text(f"{OWN_WORDS}\n{raw}", "drop").text) == f"{OWN_WORDS} / {wanted}".removesuffix(
        " / "
    )


@pytest.mark.parametrize(("raw", "wanted"), _cases(FEW_OWN_WORDS))
def test_quotations_stay_beside_fewer_than_five_own_words(raw: str, wanted: str) -> None:
    assert _line(plain_text(raw, "drop").text) == wanted


@pytest.mark.parametrize(("raw", "wanted"), _cases(SIGNATURES))
def test_signatures(raw: str, wanted: str) -> None:
    assert _line(plain_text(raw).text) == wanted


def test_text_without_marks_is_itself() -> None:
    raw = "Продаю стулья, 5 шт. - недорого!"
    plain = plain_text(raw)
    assert plain.text == raw
    assert plain.offset_tables() is None


def test_unknown_way_with_quotations() -> None:
    with pytest.raises(ValueError, match="keep"):
        plain_text("раз", "forget")


def test_every_character_knows_its_place() -> None:
    raw = "<p>раз &amp; <b>дв</b>а [i]три[/i]</p>"
    plain = plain_text(raw)
    seen = []
    for word in ("раз", "два", "три"):
        start = plain.text.index(word)
        seen.append(raw[slice(*plain.raw_span(start, start + len(word)))])
    assert seen == ["раз", "дв</b>а", "три"]
    at = plain.text.index("&")
    assert raw[slice(*plain.raw_span(at, at + 1))] == "&amp;"


@pytest.mark.parametrize("unit", ["раз два ", "one two ", "<p>раз</p>", "𝄞", "\ud800 "])
@pytest.mark.parametrize("quotes", ["keep", "drop"])
def test_a_long_text_is_not_read_in_part(unit: str, quotes: str) -> None:
    plain = plain_text(unit * (MAX_BYTES // len(unit.encode("utf-8", "replace")) + 1), quotes)
    assert plain.too_long
    assert plain.text == ""


@pytest.mark.parametrize(("char", "limit"), [("a", MAX_BYTES), ("я", MAX_BYTES // 2), ("𝄞", MAX_BYTES // 4)])
def test_the_limit_is_in_bytes(char: str, limit: int) -> None:
    assert not plain_text(char * limit).too_long
    assert plain_text(char * (limit + 1)).too_long
