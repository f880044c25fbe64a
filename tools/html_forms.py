"""Forms and links of an HTML page, as a browser would send and follow them."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

Attributes = list[tuple[str, "str | None"]]
BOXES = {"checkbox", "radio"}
SENT = {"hidden", "text", "search", "number"}


@dataclass
class Form:
    """``fields`` holds what the page filled in, ``unticked`` the boxes that were left empty."""

    action: str
    fields: dict[str, list[str]] = field(default_factory=dict)
    unticked: dict[str, list[str]] = field(default_factory=dict)
    buttons: list[str] = field(default_factory=list)
    """Addresses of the buttons that send the form elsewhere."""

    def boxes(self, name: str) -> list[str]:
        """Return the values of all boxes of that name, ticked or not."""
        return self.fields.get(name, []) + self.unticked.get(name, [])

    def all_ticked(self) -> dict[str, list[str]]:
        """Return the fields with every box ticked."""
        return {name: self.boxes(name) for name in {**self.fields, **self.unticked}}


class Page(HTMLParser):
    """The forms and links of one page, in their order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self.links: list[str] = []
        self._form: Form | None = None
        self.feed(html)

    def form_with(self, part: str) -> Form:
        """Return the first form with ``part`` in its own address or in the address of a button."""
        return next(form for form in self.forms if any(part in url for url in (form.action, *form.buttons)))

    def link_with(self, part: str) -> str:
        """Return the first link with ``part`` in its address."""
        return next(url for url in self.links if part in url)

    def handle_starttag(self, tag: str, attrs: Attributes) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self._form = Form(given.get("action", ""))
            self.forms.append(self._form)
        elif tag == "a":
            self.links.append(given.get("href", ""))
        elif tag == "input" and self._form and given.get("name"):
            self._add_input(self._form, given)
        elif tag == "button" and self._form and "formaction" in given:
            self._form.buttons.append(given["formaction"])

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._form = None

    def _add_input(self, form: Form, given: dict[str, str]) -> None:
        kind = given.get("type", "text")
        if kind in BOXES:
            fields = form.fields if "checked" in given else form.unticked
            fields.setdefault(given["name"], []).append(given.get("value", "on"))
        elif kind in SENT:
            form.fields.setdefault(given["name"], []).append(given.get("value", ""))
