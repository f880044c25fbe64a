"""Word lists written as text."""


def word_set(text: str) -> frozenset[str]:
    """Return the set of the words in a text."""
    return frozenset(text.split())
