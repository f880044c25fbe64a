"""A visitor of the running example: cookies, forms, nothing more."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import unescape
from http.cookiejar import CookieJar
from urllib.error import HTTPError
from urllib.parse import quote, urlencode
from urllib.request import HTTPCookieProcessor, Request, build_opener

SECONDS = 60


@dataclass(frozen=True)
class Page:
    status: int
    url: str
    html: str
    headers: dict[str, str]

    @property
    def text(self) -> str:
        """What a reader sees, on one line."""
        return " ".join(unescape(re.sub(r"<[^>]+>", " ", self.html)).split())

    def links(self, under: str) -> list[str]:
        """The addresses of the links that begin with that path, each once."""
        return list(dict.fromkeys(re.findall(rf'href="({re.escape(under)}[^"#]*)', unescape(self.html))))


class Browser:
    def __init__(self, address: str, language: str = "ru") -> None:
        self.address = address
        self._language = language
        self._cookies = CookieJar()
        self._opener = build_opener(HTTPCookieProcessor(self._cookies))

    def get(self, path: str, **query: str) -> Page:
        return self._open(path + (f"?{urlencode(query)}" if query else ""))

    def post(self, path: str, **fields: str) -> Page:
        """Send a form that stands on that page."""
        self.get(path)
        token = next(cookie.value for cookie in self._cookies if cookie.name == "csrftoken")
        return self._open(path, urlencode({**fields, "csrfmiddlewaretoken": token}).encode())

    def log_in(self, name: str, password: str) -> Page:
        return self.post("/login/", username=name, password=password)

    def _open(self, path: str, data: bytes | None = None) -> Page:
        address = self.address + quote(path, safe="/?=&%#+")
        request = Request(address, data, {"Accept-Language": self._language})
        try:
            with self._opener.open(request, timeout=SECONDS) as answer:
                return Page(answer.status, answer.url, answer.read().decode(), dict(answer.headers))
        except HTTPError as error:
            return Page(error.code, error.url or "", error.read().decode(), dict(error.headers))
