"""How people post the same text again, each way a function of the text and a source of chance."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

Edit = Callable[[str, Random], str]

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-ZА-ЯЁ«])")
_WORD = re.compile(r"[а-яё]{6,}|[a-z]{6,}")
_LATIN_TWINS = str.maketrans("аеорсух", "aeopcyx")
_PHRASES = [
    ("Продаю", "Продам"), ("в хорошем состоянии", "в отличном состоянии"), ("Отдаём", "Отдадим"),
    ("из-за переезда", "в связи с переездом"), ("Есть", "Имеется"), ("можно", "возможно"), ("бесплатно", "без оплаты"),
    ("около", "примерно"), ("в комплекте", "в наборе"), ("Требуется", "Срочно требуется"), ("квартира", "кв."),
    ("Смету", "Расчёт"), ("Цена", "Стоимость"), ("чек", "чек из магазина"), ("при вас", "при покупателе"),
    ("опыт", "стаж"), ("Команда", "Наша команда"), ("участок", "объект"), ("Причина продажи", "Почему продаём"),
    ("Selling", "For sale,"), ("with", "and"), ("included", "in the price"), ("about", "around"),
    ("bought", "purchased"),
]  # fmt: skip
_TAILS_RU = [
    "Звоните, договоримся.",
    "Пишите в личные сообщения, отвечаю быстро.",
    "Подробности по телефону.",
    "Звонить лучше днём.",
]
_TAILS_EN = ["Please call, do not text.", "Message me any time.", "Details on the phone."]


def same(text: str, rng: Random) -> str:
    """Word for word."""
    return text


def tail(text: str, rng: Random) -> str:
    """A usual phrase at the end."""
    return f"{text} {rng.choice(_TAILS_RU if is_russian(text) else _TAILS_EN)}"


def words(text: str, rng: Random) -> str:
    """Some phrases put another way."""
    for old, new in _PHRASES:
        text = text.replace(old, new, 1)
    return tail(text, rng)


def reorder(text: str, rng: Random) -> str:
    """The sentences after the first one, in another order."""
    first, *rest = _SENTENCE_END.split(text)
    if len(rest) > 1:
        turn = rng.randrange(1, len(rest))
        rest = rest[turn:] + rest[:turn]
    return " ".join([first, *rest])


def typo(text: str, rng: Random) -> str:
    """Two words with a slip of the finger: neighbouring letters swapped, or one dropped."""
    found = list(_WORD.finditer(text))
    for word in sorted(rng.sample(found, min(2, len(found))), key=lambda match: -match.start()):
        at = word.start() + rng.randrange(1, len(word[0]) - 2)
        swapped = text[at + 1] + text[at] if rng.random() < 0.5 else text[at]
        text = text[:at] + swapped + text[at + 2 :]
    return text


def latin(text: str, rng: Random) -> str:
    """Latin twins in place of Cyrillic letters in every fourth word: a robot reads another text, a person does not."""
    parts = re.split(r"(\s+)", text)
    parts[::8] = [part.translate(_LATIN_TWINS) if is_russian(part) else part for part in parts[::8]]
    return "".join(parts)


def hidden(text: str, rng: Random) -> str:
    """Zero-width spaces inside long words, as shops of spam do."""
    return _WORD.sub(lambda word: _split(word[0]) if rng.random() < 0.3 else word[0], text)


def short(text: str, rng: Random) -> str:
    """The beginning of a text, as a teaser."""
    sentences = _SENTENCE_END.split(text)
    return " ".join(sentences[: max(2, len(sentences) // 2)])


def price(text: str, rng: Random) -> str:
    """The text of an advert whose price has come down; the seller says so now and then."""
    reduced = "Цена снижена." if is_russian(text) else "Price reduced."
    return rng.choice([text, f"{text} {reduced}"])


EDITS: dict[str, Edit] = {
    "same": same, "other": tail, "words": words, "reorder": reorder, "typo": typo, "latin": latin,
    "hidden": hidden, "short": short, "price": price,
}  # fmt: skip


def is_russian(text: str) -> bool:
    """Whether a text has Cyrillic letters."""
    return re.search("[а-яё]", text) is not None


def _split(word: str) -> str:
    return f"{word[:3]}\u200b{word[3:]}"
