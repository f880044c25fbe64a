"""Texts without their markup in the place of the texts themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from ..normalization.normalize import SPACED_OUT_WORD, fold_signs
from ..normalization.offsets import PlainText
from ..tokens.token_pattern import UNSPACED_GLYPH
from ..tokens.tokenize import LONG_TEXT_CHARACTERS

FEW_CHANGED = 4

Plain = Callable[[int], str]
"""A text without its markup, by its number."""


def plainer_texts(texts: Sequence[str], marked: Iterable[int], plain: Plain) -> dict[int, str]:
    """The texts that are another one without their markup."""
    seen = {place: plain(place) for place in marked}
    return {place: text for place, text in seen.items() if text != texts[place]}


def is_unreadable(pieces: Sequence[str], size: int) -> bool:
    """Whether characters that become something else, in pieces of a text of ``size`` characters, space letters out, or
    would make a long text of it."""
    for piece in pieces:
        folded = fold_signs(PlainText(piece)).text
        if any(match[2] == " " for match in SPACED_OUT_WORD.finditer(folded)):
            return True
        size += len(folded) - len(piece) + 2 * len(UNSPACED_GLYPH.findall(folded))
    return size >= LONG_TEXT_CHARACTERS


def exchanged(texts: Sequence[str], plainer: dict[int, str]) -> list[str]:
    """The texts with plainer ones in the place of some; where those are few, as long as before."""
    exchanged = list(texts)
    few = FEW_CHANGED * len(plainer) < len(texts)
    for place, text in plainer.items():
        exchanged[place] = text.ljust(len(texts[place])) if few else text
    return exchanged
