"""Archaic and riddling turns of phrase, and how often a text uses them.

There are two lists. ``ARCHAIC`` gives the rate to watch. ``NEIGHBOURS`` are ordinary words. A text that uses
them often is a riddle: clauses instead of nouns, "where" instead of "if", "beside" instead of "next to".
"""

from __future__ import annotations

import re
from typing import NamedTuple

ARCHAIC = (
    r"those (?:that|which|who|whom|whose)",
    r"them (?:that|which|who)",
    r"(?:of|to|by|for|with) whom",
    r"of which",
    r"nobody|somebody|everybody|anybody|no one",
    r"nothing (?:but|else|of)",
    r"nowhere",
    r"who(?:so)?ever|whomever|whatever",
    r"anew|of late|as yet",
    r"but for|save for|save that|save where",
    r"told",
    r"as though",
    r"(?:so|as) far as|so long as",
    r"upon|ere|lest|albeit",
    r"there(?:by|of|in|after|with|upon)|where(?:by|of|in|upon|with)|hence|hitherto|hereby|thither|whence",
    r"(?:is|are|was|were) to be",
    r"or else|else",
    r"none of",
    r"be it|be they|such as (?:are|is|have)",
    r"no more(?! than)",
    r"besides",
    r"as it stands|as they stand",
    r"(?:of|by) (?:itself|themselves)|of (?:its|their) own",
    r"(?<=\w )alone",
)
NEIGHBOURS = (
    r"all (?:that|those|who)",
    r"ones? (?:that|which|who)",
    r"(?:any|some|few|others?|each|much|nothing|none) (?:that|which|who)",
    r"(?:those|that|these) of",
    r"whose",
    r"whichever|wherever|whenever",
    r"where (?:it|they|he|none|one|there|nothing|not|no|any|that|this|its|their)",
    r"^where(?![^.!?]*\?)",
    r"^(?:what|who) (?:is|was|are|were|has|have|had|does|do|did|it|they|a|an|the|one|its)(?![^.!?]*\?)",
    r"beside|at once|by now",
    r"as (?:it|they) (?:is|are|was|were|comes?)",
    r"tells? (?:whether|which|what|how|that)",
    r"speaks? (?:of|for)|spoken of",
    r"it is (?:\w+ ){1,4}that",
)
SENTENCE_START = r"(?:\A|(?<=[.:;!?]\s))"
CODE = re.compile(r"```.*?```|``[^`]*``|`[^`]*`", re.DOTALL)
WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")


class Turn(NamedTuple):
    text: str
    is_archaic: bool


def _alternatives(patterns: tuple[str, ...]) -> str:
    anchored = (SENTENCE_START + pattern[1:] if pattern.startswith("^") else pattern for pattern in patterns)
    return "|".join(f"(?:{pattern})" for pattern in anchored)


# One expression for both lists: a place counts once, and the archaic turn wins.
TURN = re.compile(
    rf"\b(?:(?P<archaic>{_alternatives(ARCHAIC)})|(?:{_alternatives(NEIGHBOURS)}))\b", re.IGNORECASE
)


def plain(text: str) -> str:
    """Return a text without code spans and line breaks. A code span leaves a mark that is not a word."""
    return " ".join(CODE.sub("…", text).split())


def find_turns(text: str) -> list[Turn]:
    """List the turns of a text in lower case, in their order."""
    return [Turn(match[0].lower(), match["archaic"] is not None) for match in TURN.finditer(plain(text))]


def count_words(text: str) -> int:
    """Count the words of a text outside code spans."""
    return len(WORD.findall(plain(text)))
