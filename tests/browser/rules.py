"""What holds on every page, whatever it shows: measured in the browser."""

from __future__ import annotations

from functools import cache

from axe_core_python.selenium import Axe

from tests.browser.chromium import HEIGHT, WIDTH, Window

STANDARD = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]
WIDTHS = (320, 390, 768, 1024, WIDTH)
SCHEMES = ("light", "dark")
TARGET = 24
"""Pixels that a button or a box to tick is high and wide at least."""

BESIDE = "return Math.max(0, document.documentElement.scrollWidth - window.innerWidth)"
SMALL = """
    const found = document.querySelectorAll(':is(.neardup, .site main) :is(button, label, .neardup-button)');
    return [...found]
        .map(each => [each, each.getBoundingClientRect()])
        .filter(([each, box]) => box.width && Math.min(box.height, box.width) < arguments[0])
        .map(([each, box]) => `${each.outerHTML.slice(0, 120)}: ${box.width} × ${box.height}`);
"""


@cache
def axe() -> Axe:
    return Axe()


def flaws(window: Window, part: str = "#content", again: bool = True) -> list[str]:
    """What is wrong with a page for somebody: for weak eyes, for small screens, for big fingers.

    ``again``: whether the page may be loaded once more, which takes away what was typed."""
    assert window.all(part)
    found = [each for scheme in SCHEMES for each in unfit(window, scheme, part, again)]
    window.scheme("light")
    return [*found, *beside(window), *small(window)]


def unfit(window: Window, scheme: str, part: str = "#content", again: bool = True) -> list[str]:
    """What a check of WCAG 2.1 A and AA finds in that part of the page."""
    window.scheme(scheme)
    if again:
        window.driver.refresh()  # colours that move from one scheme to the other are not to be measured
    return [f"{scheme}: {violation}" for violation in violations(window, part)]


def violations(window: Window, part: str, *rules: str) -> list[str]:
    """Return what axe finds in that part of the page by these rules, or by all of WCAG 2.1 A and AA."""
    chosen = {"type": "rule", "values": list(rules)} if rules else {"type": "tag", "values": STANDARD}
    options = {"runOnly": chosen, "resultTypes": ["violations"]}
    found = axe().run(window.driver, [[part]], options)["violations"]
    return [f"{violation['id']}: {node['html'][:160]}" for violation in found for node in violation["nodes"]]


def beside(window: Window) -> list[str]:
    """The widths at which the page must be scrolled sideways."""
    found = []
    for width in WIDTHS:
        window.size(width, HEIGHT)
        if over := window.run(BESIDE):
            found.append(f"{over} px too wide at {width}")
    window.size(WIDTH, HEIGHT)
    return found


def small(window: Window) -> list[str]:
    """What of ours is too small for a finger."""
    return list(window.run(SMALL, TARGET))
