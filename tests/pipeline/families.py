"""Texts by number, unlike one another: words of no language, so that no dictionary has a say."""

import random

SYLLABLES = [
    "ба",
    "ве",
    "ги",
    "до",
    "жу",
    "за",
    "ки",
    "ле",
    "мо",
    "ну",
    "пы",
    "ра",
    "сэ",
    "ты",
    "фу",
    "ха",
    "це",
    "чо",
    "шу",
    "ще",
]


def family(number):
    """A text of forty words of its own."""
    own = random.Random(number)
    return ["".join(own.choices(SYLLABLES, k=own.randrange(2, 5))) for _ in range(40)]
