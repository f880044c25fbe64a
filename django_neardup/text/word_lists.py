"""Word lists written as text."""


def word_set(text: str) -> frozenset[str]:
    """Return the set of the words in a text."""
    return frozenset(text.split())


def word_list(text: str) -> tuple[str, ...]:
    """Return the words of a text in their order."""
    return tuple(text.split())
