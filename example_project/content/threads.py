"""The threads of the forum, read from `threads.txt`; its head explains the notation."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

from content.edits import EDITS, tail
from content.shapes import Message, Thread

HERE = Path(__file__).parent
SECTIONS = [
    ("stroika", "Стройка и ремонт"),
    ("avto", "Авто"),
    ("dom", "Дом, сад, звери"),
    ("komp", "Компьютеры и связь"),
    ("rabota", "Работа и учёба"),
    ("raznoe", "Разговоры обо всём"),
    ("english", "English corner"),
]
_QUOTE = re.compile(r">(\d+)( short)?\n")
_ARTICLE = re.compile(r"= article (\w+) (\w+)")
_REPEAT = re.compile(r"^= (.+) #(\d+) (\w+)", re.MULTILINE)
_FIRST_SENTENCE = re.compile(r".+?[.!?](?=\s|$)", re.DOTALL)


def threads(rng: Random) -> list[Thread]:
    """Every thread in the order in which they were begun."""
    known: dict[str, Thread] = {}
    for block in (HERE / "threads.txt").read_text(encoding="utf-8").split("\n=== ")[1:]:
        head, _, body = block.strip().partition("\n")
        section, title, *after = (part.strip() for part in head.split("|"))
        messages: list[Message] = []
        for part in re.split(r"^@ ", body, flags=re.MULTILINE)[1:]:
            author, _, text = part.strip().partition("\n")
            messages.append(Message(author, _text(text, messages, known, rng)))
        after += [found[1] for found in _REPEAT.finditer(body)]
        known[title] = Thread(section, title, tuple(messages), tuple(after))
    return list(known.values())


def _text(source: str, before: list[Message], known: dict[str, Thread], rng: Random) -> str:
    """What a message says, its directions carried out."""
    if article := _ARTICLE.fullmatch(source):
        written = (HERE / "articles" / f"{article[1]}.txt").read_text(encoding="utf-8")
        return _by_paragraph(written, article[2], rng)
    if repeat := _REPEAT.fullmatch(source):
        earlier = known[repeat[1]].messages[int(repeat[2]) - 1].text
        return _by_paragraph(earlier, repeat[3], rng)
    if quote := _QUOTE.match(source):
        return _quotation(before[int(quote[1]) - 1], bool(quote[2])) + source[quote.end() :]
    return source


def _by_paragraph(text: str, edit: str, rng: Random) -> str:
    paragraphs = text.strip().split("\n\n")
    if edit == "tail":
        return tail(text.strip(), rng)
    if edit == "reorder" and len(paragraphs) > 3:
        paragraphs[1], paragraphs[2] = paragraphs[2], paragraphs[1]
        return "\n\n".join(paragraphs)
    if edit == "words" and len(paragraphs) > 3:
        del paragraphs[-2]
    return "\n\n".join(EDITS[edit](paragraph, rng) for paragraph in paragraphs)


def _quotation(message: Message, short: bool) -> str:
    own = re.sub(r"\[quote.*?\[/quote\]\n?", "", message.text, flags=re.DOTALL)
    first = _FIRST_SENTENCE.match(own) if short else None
    return f'[quote="{message.author}"]\n{(first[0] if first else own).strip()}\n[/quote]\n'
