"""Number formats of commands."""

from __future__ import annotations

from ..models import TermStatistics


def format_number(number: int) -> str:
    """Format a whole number with spaces between thousands."""
    return f"{number:,}".replace(",", " ")


def format_count(number: int, noun: str) -> str:
    """Format a number with its noun: "1 group", "1 870 posts"."""
    return f"{format_number(number)} {noun}{'' if number == 1 else 's'}"


def format_rate(post_count: int, seconds: float) -> str:
    """Format a rate: "1 000 000 posts in 512 s, 1 953 per second"."""
    rate = round(post_count / max(seconds, 0.001))
    return f"{format_count(post_count, 'post')} in {format_number(round(seconds))} s, {format_number(rate)} per second"


def describe_statistics(snapshot: TermStatistics) -> str:
    """Describe statistics: "2 000 posts, 18 402 words in two or more of them, 96.3 words per post"."""
    return (
        f"{format_count(snapshot.documents, 'post')}, {format_count(snapshot.words, 'word')} in two or more of them, "
        f"{snapshot.average_length:.1f} words per post"
    )
