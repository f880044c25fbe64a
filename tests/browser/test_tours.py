"""The three tours of the demonstration from the first step to the last, in both languages; the reset."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.browser import staging
from tests.browser.chromium import HEIGHT, WIDTH, Window
from tests.browser.rules import beside, flaws, unfit
from tests.example.conftest import Site

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

TOURS = {"visitor": ("", 8), "author": ("demo", 7), "moderator": ("moderator", 8)}
STRIP = ".demo-strip"
OF = {"ru": "шаг {} из {}", "en": "step {} of {}"}
FAULTS = re.compile("Traceback|Not Found|Server Error|Не найдено|Ошибка сервера")


@pytest.fixture(scope="module")
def demo(_prepared: Path) -> Iterator[Site]:
    with staging.stage(_prepared, "toured", DEMO="1") as site:
        yield site


@pytest.fixture
def visitor(demo: Site, _windows: Callable[[str], Window]) -> Iterator[Window]:
    """A window of somebody who has just come."""
    window = _windows("visitor")
    window.address = demo.address
    window.size(WIDTH, HEIGHT)
    window.complaints()
    yield window
    assert window.complaints() == []


def begin(window: Window, name: str, language: str) -> None:
    """Press the button of that tour on the start page."""
    window.become("", language)
    window.open("/start/")
    window.click(f"form:has(input[name=next][value='/start/{name}/']) button")
    assert window.path == f"/start/{name}/"


@pytest.mark.parametrize("language", OF)
@pytest.mark.parametrize("name", TOURS)
def test_a_tour_from_the_first_step_to_the_last(name, language, visitor):
    username, count = TOURS[name]
    begin(visitor, name, language)
    assert not visitor.all("main form button"), "the button has made the user that the tour needs"
    assert visitor.find(f"{STRIP} button[aria-current]").get_attribute("value") == username
    visitor.click("main .site-button")
    for number in range(1, count + 1):
        assert OF[language].format(number, count) in visitor.find(STRIP).text
        assert not visitor.path.startswith("/start/") and not FAULTS.search(visitor.text)
        visitor.click(f"{STRIP} p a:last-child")
    assert visitor.path == "/start/"
    assert (
        f"{count} из {count}" in visitor.text if language == "ru" else f"{count} of {count}" in visitor.text
    )


@pytest.mark.parametrize("language", OF)
def test_the_pages_of_the_demonstration_are_fit_for_everybody(language, visitor):
    begin(visitor, "author", language)
    for path in ("/start/", "/start/visitor/", "/start/author/", "/start/reset/"):
        visitor.open(path)
        assert flaws(visitor, "body") == [], path
    begin(visitor, "moderator", language)
    visitor.click("main .site-button")
    assert visitor.path.startswith("/admin/")
    assert [fault for scheme in ("light", "dark") for fault in unfit(visitor, scheme, STRIP)] == []
    visitor.scheme("light")
    assert beside(visitor) == []


def test_a_click_makes_another_user_on_the_same_page(visitor):
    visitor.become("", "ru")
    visitor.open("/news/")
    visitor.click(f"{STRIP} button[value=admin]")
    assert visitor.path == "/news/" and visitor.all("a[href='/admin/']")
    visitor.click(f"{STRIP} button[value='']")
    assert visitor.path == "/news/" and not visitor.all("a[href='/admin/']")


def test_a_reset_takes_back_what_was_written(demo, visitor):
    begin(visitor, "author", "ru")
    topics = demo.value("SELECT count(*) FROM forum_topic")
    visitor.open("/forum/dom/new/")
    visitor.find("[name=title]").send_keys("Смола на печи")
    visitor.find("[name=text]").send_keys("Чем оттереть смолу с кирпича? Сода только размазывает.")
    visitor.click("form.site-form button")
    assert demo.value("SELECT count(*) FROM forum_topic") == topics + 1
    visitor.open("/start/")
    visitor.click("main a[href='/start/reset/']")
    visitor.click("form.site-form button")
    assert "Всё как в начале" in visitor.text
    assert demo.value("SELECT count(*) FROM forum_topic") == topics
