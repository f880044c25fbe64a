"""Figures as commands print them."""

from __future__ import annotations

from ..models import TermStatistics


def spaced(number: int) -> str:
    """A whole number with spaces between thousands."""
    return f"{number:,}".replace(",", " ")


def counted(number: int, what: str) -> str:
    """That many of it: "1 group", "1 870 clones"."""
    return f"{spaced(number)} {what}{'' if number == 1 else 's'}"


def at_rate(posts: int, seconds: float) -> str:
    """ "1 000 000 posts in 512 s, 1 953 a second"."""
    rate = round(posts / max(seconds, 0.001))
    return f"{counted(posts, 'post')} in {spaced(round(seconds))} s, {spaced(rate)} a second"


def what_is_in(snapshot: TermStatistics) -> str:
    """Statistics in words: "2 000 posts, 18 402 words that more than one holds, 96.3 words a post"."""
    return (
        f"{counted(snapshot.documents, 'post')}, {counted(snapshot.words, 'word')} that more than one holds, "
        f"{snapshot.average_length:.1f} words a post"
    )
