"""One window of a headless Chromium, driven as a person would: clicks, keys, a look at what stands there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.wait import WebDriverWait

from tests import services

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
SWITCHES = (
    "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--hide-scrollbars",
    "--force-device-scale-factor=1", "--disable-background-networking", "--no-first-run",
    "--force-prefers-reduced-motion",
)  # fmt: skip
SECONDS = 20
WIDTH, HEIGHT = 1280, 900
RUSSIAN = dict(zip("abcdefghijklmnopqrstuvwxyz", "фисвуапршолдьтщзйкыегмцчня", strict=True))
NUMBERS = {"Enter": 13, "Escape": 27}
"""Of keys that the browser itself heeds."""


def programs() -> tuple[str, str]:
    """The paths of the browser and its driver; ``MissingServiceError`` where one is not installed."""
    driver = services.find("chromedriver")
    for name in PROGRAMS:
        try:
            return services.find(name), driver
        except services.MissingServiceError as error:
            missing = error
    raise missing


@contextmanager
def chromium() -> Iterator[Window]:
    """A browser without a profile of its own; ended with the block."""
    binary, driver = programs()
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for switch in (*SWITCHES, f"--window-size={WIDTH},{HEIGHT}"):
        options.add_argument(switch)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    started = webdriver.Chrome(options=options, service=Service(driver, log_output=os.devnull))
    try:
        yield Window(started)
    finally:
        started.quit()


class Window:
    """What one person sees and does. ``address``: the site that paths are of."""

    def __init__(self, driver: webdriver.Chrome, address: str = "") -> None:
        self.driver = driver
        self.address = address
        self.session = self.language = ""

    @property
    def path(self) -> str:
        """Where the window is, without scheme and host."""
        return self.driver.current_url.removeprefix(self.address)

    @property
    def text(self) -> str:
        """What a reader sees, on one line."""
        return " ".join(self.find("body").text.split())

    def open(self, path: str) -> None:
        self.driver.get(f"{self.address}{path}")

    def all(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def find(self, selector: str) -> WebElement:
        """The first such element, waited for."""
        return self.wait(lambda: self.all(selector), f"{selector} on {self.path}")[0]

    def wait(self, condition: Any, what: str) -> Any:
        """What the condition gives, as soon as that is something."""
        return WebDriverWait(self.driver, SECONDS, 0.05).until(lambda _driver: condition(), f"no {what}")

    def click(self, selector: str) -> None:
        """Press it and wait for the page that it leads to."""
        self.leave(self.find(selector).click)

    def leave(self, act: Any) -> None:
        """Do that and wait until another page has been loaded."""
        self.run("window.neardupOld = true")
        act()
        self.wait(
            lambda: self.run("return !window.neardupOld && document.readyState === 'complete'"),
            f"way from {self.path}",
        )

    def run(self, script: str, *arguments: Any) -> Any:
        """What a script gives on the page."""
        return self.driver.execute_script(script, *arguments)

    def press(self, letter: str, russian: bool = False, **modifiers: bool) -> None:
        """Press a key of a keyboard; ``russian`` with that layout: the same place, another letter."""
        code = f"Key{letter.upper()}"
        typed = RUSSIAN.get(letter, letter) if russian else letter
        self.type(code, typed, **modifiers)

    def type(self, code: str, key: str, ctrl: bool = False, shift: bool = False) -> None:
        """Press the key at that place (``KeyboardEvent.code``), which gives ``key``."""
        named = {"code": code, "key": key, "modifiers": 2 * ctrl + 8 * shift}
        named |= {"windowsVirtualKeyCode": NUMBERS[key]} if key in NUMBERS else {}
        text = "\r" if key == "Enter" else key
        typed = {"text": text} if len(text) == 1 and not ctrl else {}
        for kind, more in (("keyDown", typed), ("keyUp", {})):
            self.driver.execute_cdp_cmd("Input.dispatchKeyEvent", {"type": kind, **named, **more})

    def size(self, width: int, height: int = HEIGHT) -> None:
        """Make the page that wide, in CSS pixels."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def scheme(self, name: str) -> None:
        """Have the system ask for the "light" or the "dark" scheme."""
        feature = {"name": "prefers-color-scheme", "value": name}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})

    def become(self, session: str, language: str = "ru") -> None:
        """Be the person of that session, who reads that language and has chosen nothing yet."""
        self.session, self.language = session, language
        self.driver.delete_all_cookies()
        origin = {"origin": self.address, "storageTypes": "local_storage"}
        self.driver.execute_cdp_cmd("Storage.clearDataForOrigin", origin)
        for name, value in (("sessionid", session), ("django_language", language)):
            self.driver.execute_cdp_cmd(
                "Network.setCookie", {"name": name, "value": value, "url": self.address, "path": "/"}
            )

    @contextmanager
    def without_script(self) -> Iterator[None]:
        """Run none of the pages' own scripts."""
        self.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
        try:
            yield
        finally:
            self.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})

    def forget(self) -> None:
        """Keep no answer of before: a redirection may be kept for a while."""
        self.driver.execute_cdp_cmd("Network.clearBrowserCache", {})

    def complaints(self) -> list[str]:
        """What the browser complained of since the last call: errors, blocked scripts and styles, missing files."""
        return [each["message"] for each in self.driver.get_log("browser") if each["level"] != "INFO"]
