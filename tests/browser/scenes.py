"""What happens on the site meanwhile: adverts are posted, edited and looked at, the worker has its turn."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from http.client import HTTPConnection
from urllib.parse import urlencode, urlsplit

from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.select import Select

from tests.browser.chromium import Window
from tests.example.conftest import Site

QUEUE = "/admin/neardup/queue/"
CONFIRM = ".neardup-bar button.neardup-first"
NEW, MINE = "/ads/new/", "/ads/mine/"
FORM = "form.site-form"
PUBLISH = "button[name=do][value=publish]"
LOOK, ANYWAY, RENEW = "[name=neardup_check]", "[name=neardup_confirm]", "[name=neardup_renew]"
POLICY = ".neardup-policy"
TYPED = "[data-neardup-similar] .neardup-live"
TITLE = "Печь банная чугунная"
TEXT = (
    "Продаю банную печь из чугуна, топили одну зиму, стенки целые, дверца со стеклом. Парную в двенадцать кубов "
    "прогревает за час. Модель ПБ-{}, в комплекте бак для воды и дымоход, самовывоз из Сысерти."
)


def post(site: Site, model: str = "18", **fields: str) -> int:
    """Post an advert on the board; its number."""
    visitor = site.browser()
    shelf = re.search(r'<option value="(\d+)">Стройматериалы', visitor.get("/ads/new/").html)
    assert shelf
    values = {"title": TITLE, "text": TEXT.format(model), "city": "Сысерть", "phone": "89000000777"}
    answer = visitor.post("/ads/new/", **{**values, "category": shelf[1], **fields})
    return int(answer.url.rstrip("/").rpartition("/")[2])


def edit(window: Window, number: int, text: str) -> None:
    """Give an advert another text, in the admin."""
    window.open(f"/admin/board/ad/{number}/change/")
    area = window.find("textarea[name=text]")
    area.clear()
    area.send_keys(text)
    window.click("[name=_save]")


def turn(site: Site) -> None:
    """Let the worker do what waits."""
    site.manage("neardup_worker", "--once")


def look_up(window: Window, words: str = "чугунная", part: str = "") -> None:
    """Open a part of the queue where it speaks of those words."""
    window.open(f"{QUEUE}?{urlencode({'q': words, **({'show': part} if part else {})})}")


def waiting(window: Window) -> int:
    """How many decisions the queue says that wait."""
    return int("".join(each for each in window.find(".neardup-tabs a").text if each.isdecimal()))


def rows(window: Window, words: str = TITLE) -> list[WebElement]:
    """The rows of the page that have those words."""
    return [row for row in window.all("[data-neardup-row]") if words in row.text]


def open_row(window: Window, words: str = TITLE) -> None:
    """Open the page of the one row that has those words."""
    (row,) = rows(window, words)
    window.leave(row.find_element(By.CSS_SELECTOR, "[data-neardup-open]").click)


def answer(site: Site, path: str) -> tuple[int, str]:
    """The status of an address, and where it leads."""
    connection = HTTPConnection(urlsplit(site.address).netloc)
    connection.request("GET", path)
    found = connection.getresponse()
    connection.close()
    return found.status, found.headers.get("Location", "")


def of(site: Site, seller: str, words: str = "") -> dict[str, str]:
    """What a published advert of that seller says: title and text."""
    query = """
        SELECT title, text FROM board_ad JOIN auth_user ON auth_user.id = user_id
        WHERE username = ? AND published AND title LIKE ? ORDER BY board_ad.id
    """
    with closing(sqlite3.connect(site.database)) as connection:
        title, text = connection.execute(query, (seller, f"%{words}%")).fetchone()
    return {"title": title, "text": text}


def write(window: Window, **fields: str) -> None:
    """Fill in the form of a new advert."""
    window.open(NEW)
    Select(window.find("[name=category]")).select_by_visible_text("Стройматериалы")
    for name, value in {"city": "Сысерть", "phone": "89000000777", **fields}.items():
        window.find(f"{FORM} [name={name}]").send_keys(value)


def publish(window: Window, button: str = PUBLISH) -> None:
    """Press a button of the form."""
    window.click(f"{FORM} {button}")
