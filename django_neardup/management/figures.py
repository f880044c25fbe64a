"""Figures as commands print them."""


def spaced(number: int) -> str:
    """A whole number with spaces between thousands."""
    return f"{number:,}".replace(",", " ")


def counted(number: int, what: str) -> str:
    """That many of it: "1 group", "1 870 clones"."""
    return f"{spaced(number)} {what}{'' if number == 1 else 's'}"
