"""What strangers write to run in a moderator's browser, and how a page is looked through for it."""

from __future__ import annotations

from collections import Counter
from html.parser import HTMLParser
from typing import Any

from django.http import HttpResponse

HOSTILE = [
    "<script>alert(1)</script> \"><img src=x onerror=alert(1)> '><svg/onload=alert(1)>",
    "</title></textarea></script></mark></dialog><script>alert(1)</script> <a href='javascript:alert(1)'>x</a>",
    "&lt;script&gt;alert(1)&lt;/script&gt; &#60;img src=x onerror=alert(1)&#62; {{ 7|add:7 }}{% load static %}",
    "<mark class=neardup-code onclick=alert(1)>x</mark> \u202e<b style=color:red>\u2028\u2029",
    "\" autofocus onfocus=alert(1) x=\" ' onmouseover='alert(1) `${alert(1)}`",
    "<!--><img src=x onerror=alert(1)>--> <![CDATA[<iframe srcdoc='<script>alert(1)</script>'>]]>",
    "<div id=neardup-outcome name=keeper form=neardup-outcome data-neardup-key=d data-neardup-row formaction=//evil>",
    "%(count)d %s {0} {kind} {left} %% javascript:alert(1) data:text/html,<script>alert(1)</script>",
    "\N{FULLWIDTH LESS-THAN SIGN}script\N{FULLWIDTH GREATER-THAN SIGN} \ufeff<\u200bscript>x</script> <\x0cimg src=x>",
]
"""Each of them is put wherever somebody may write."""

HARMLESS = "Сваи С140.35 и «балки»"


class Tags(HTMLParser):
    """Every tag of a page with the names of its attributes, and every address that a browser may follow."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: Counter[tuple[str, tuple[str, ...]]] = Counter()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags[tag, tuple(sorted(name for name, _ in attrs))] += 1
        self.addresses += [
            value or "" for name, value in attrs if name in ("href", "src", "action", "formaction")
        ]


def parsed(response: HttpResponse) -> Tags:
    """The page as a browser takes it apart."""
    found = Tags()
    found.feed(response.content.decode())
    found.close()
    return found


def kinds(response: HttpResponse) -> set[tuple[str, tuple[str, ...]]]:
    """The kinds of tags that a page has, each with the names of its attributes."""
    return set(parsed(response).tags)


FIXED = ("script", "img", "iframe", "svg", "form", "input", "button", "textarea", "style", "link", "dialog")
"""Tags of which a page has as many, whatever is written."""


def counted(response: HttpResponse) -> dict[str, int]:
    """How many of those tags a page has."""
    found = Counter(tag for tag, _names in parsed(response).tags.elements())
    return {tag: found[tag] for tag in FIXED}


def runs(response: HttpResponse) -> list[str]:
    """What of a page could run a stranger's script."""
    found = parsed(response)
    handlers = [
        f"{tag} {name}"
        for tag, names in found.tags
        for name in names
        if name.startswith("on") or name == "style"
    ]
    lead = [
        each
        for each in found.addresses
        if not each.strip().startswith(("/", "?", "#", "http")) and each.strip()
    ]
    return [*handlers, *lead]
