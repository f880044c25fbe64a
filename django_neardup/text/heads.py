"""Heads (titles) at the beginning of texts, as numbers of characters."""

from __future__ import annotations

FIRST_LINE = "first-line"
"""The name of the rule by which the first line of a text is its head."""


def head_length(text: str, head: str) -> int:
    """Return the number of characters of the head. Return 0 if the text does not begin with it.

    Return 0 also if nothing follows it: a head without a body is compared as a body.
    """
    return len(head) if head and text.startswith(head) and text[len(head) :].strip() else 0


def first_line_length(text: str) -> int:
    """Return the number of characters of the first line. Return 0 if it is the whole text."""
    return head_length(text, text.partition("\n")[0])
