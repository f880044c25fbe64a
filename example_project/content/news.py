"""The news, read from `news.txt`; its head explains the notation."""

from __future__ import annotations

from pathlib import Path
from random import Random

from content.edits import EDITS
from content.shapes import Report

HERE = Path(__file__).parent
OUTLETS = [
    ("iset-inform", "Исеть-Информ"),
    ("vechernyaya", "Вечерняя Исеть"),
    ("kamsky", "Камский листок"),
    ("dvor", "Наш двор"),
    ("soroka", "Сорока на хвосте"),
    ("courier", "The Iset Courier"),
]
_PHRASES = [
    ("сообщил", "рассказал"), ("обойдётся в", "будет стоить"), ("пойдут по", "поедут по"), ("обещают", "намерены"),
    ("дотянули до", "довели до"), ("Осталось", "Теперь осталось"), ("займёт", "будет занимать"),
    ("пройдёт на", "состоится на"), ("приехали к семи", "прибыли к семи часам"), ("напоминают", "просят помнить"),
    ("замерили", "измерили"), ("вытащили", "спасли"), ("will keep running", "will run"),
    ("three weeks longer", "three weeks more"), ("costs", "is"), ("leaves", "departs"),
]  # fmt: skip
_TAILS = [
    "Следите за нашими обновлениями.",
    "Подробности в вечернем выпуске.",
    "Пишите нам, если у вас иначе.",
]


def reports(rng: Random) -> list[Report]:
    """Return every report, each followed by its other prints."""
    found: list[Report] = []
    texts: dict[str, str] = {}
    for block in (HERE / "news.txt").read_text(encoding="utf-8").split("\n=== ")[1:]:
        head, _, own = block.strip().partition("\n")
        source, outlet, author, headline = (part.strip() for part in head.split("|"))
        name, _, edit = source.removeprefix("> ").partition(" ")
        if edit:
            printed = _printed(texts[name], edit, rng)
            own = f"{own.strip()}\n\n{printed}".strip()
        else:
            texts[name] = own.strip()
        found.append(Report(name, outlet, author, headline, own.strip(), is_reprint=bool(edit)))
    return found


def _printed(text: str, edit: str, rng: Random) -> str:
    """Return the text as another outlet prints it. A teaser is its first paragraph."""
    paragraphs = text.split("\n\n")
    if edit == "short":
        return paragraphs[0]
    if edit == "reorder":
        return "\n\n".join([paragraphs[0], *reversed(paragraphs[1:])])
    if edit == "tail":
        return f"{text} {rng.choice(_TAILS)}"
    if edit == "words":
        return _reworded(text)
    return "\n\n".join(EDITS[edit](paragraph, rng) for paragraph in paragraphs)


def _reworded(text: str) -> str:
    """Return the text after an editor has put some phrases another way."""
    for old, new in _PHRASES:
        text = text.replace(old, new, 1)
    return text
