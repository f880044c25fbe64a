"""What a difference means: the result of a rule."""

from __future__ import annotations

from dataclasses import dataclass

from ..text.alignment.gaps import Gap

IGNORED, DOUBT, OTHER_ITEM = "ignored", "doubt", "another item"
"""Effects of a difference. An ignored difference never decides, a doubt keeps two posts from one group."""

ANYWHERE, WORDS, HEAD = "anywhere", "words", "head"
"""In which texts one difference decides, see ``verdict.decisive_meanings``."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """The meaning of a difference.

    - ``gap``: the differing words of both texts. Words of a pair rule are aligned, and differ in a sign or a role.
    - ``kind``: the class of the difference, as shown to people.
    - ``rule``: the name of the rule.
    - ``effect``: ``IGNORED``, ``DOUBT`` or ``OTHER_ITEM``.
    - ``spans``: offsets in the raw texts, if they are not those of the words: of a sign.
    - ``decides``: ``ANYWHERE``, ``WORDS`` or ``HEAD``.
    """

    gap: Gap
    kind: str
    rule: str
    effect: str = OTHER_ITEM
    decides: str = ANYWHERE
    spans: tuple[tuple[int, int], tuple[int, int]] | None = None
