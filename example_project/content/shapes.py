"""What the content is made of before it becomes rows."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who writes on the site."""

    username: str
    name: str
    city: str
    phone: str

    @property
    def email(self) -> str:
        return f"{self.username}@example.org"


@dataclass(frozen=True, slots=True)
class Advert:
    """One advert; `repeat` counts the earlier postings of the same text."""

    category: str
    city: str
    price: int | None
    seller: str
    title: str
    text: str
    repeat: int = 0


@dataclass(frozen=True, slots=True)
class Message:
    author: str
    text: str


@dataclass(frozen=True, slots=True)
class Thread:
    """A thread; `after` names the threads that were there before it."""

    section: str
    title: str
    messages: tuple[Message, ...]
    after: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """One article of the news; `name` is of the report that it prints, the same for each of its prints."""

    name: str
    outlet: str
    author: str
    headline: str
    text: str
    is_reprint: bool
