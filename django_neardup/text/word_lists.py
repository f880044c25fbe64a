"""Word lists are written as text."""


def word_set(text: str) -> frozenset[str]:
    """The words of a text, without order."""
    return frozenset(text.split())
