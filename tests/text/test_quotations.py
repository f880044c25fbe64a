"""Two replies to one quotation."""

from __future__ import annotations

import pytest

from django_neardup.judge.quotations import verdict_by_quotations
from django_neardup.text.canonical_text import CanonicalText

QUOTED = "[quote]Продам гараж у реки, крыша новая, документы готовы, торг уместен[/quote] {}"
AGREED = "Согласен, отличное предложение, сам бы взял"
AGREED_TOO = "Согласен, отличное предложение, и сам бы взял"
REFUSED = "Слишком дорого, по соседству продают дешевле"
MIN_SCORE = 0.41


@pytest.mark.parametrize(
    ("a", "b", "other"),
    [
        (QUOTED.format(AGREED), QUOTED.format(REFUSED), True),
        (QUOTED.format(AGREED), QUOTED.format(AGREED_TOO), False),
        (QUOTED.format(AGREED), REFUSED, False),
        (AGREED, REFUSED, False),
        (QUOTED.format(""), QUOTED.format(REFUSED), False),
        (f"> гараж у реки\n{AGREED}", f"> гараж у реки\n{REFUSED}", True),
        (f"<blockquote>гараж</blockquote>{AGREED}", f"<blockquote>гараж</blockquote>{REFUSED}", True),
        (f"a > b, {AGREED}", f"a > b, {REFUSED}", False),
    ],
)
def test_own_words(a: str, b: str, other: bool) -> None:
    texts = CanonicalText(a), CanonicalText(b)
    assert (verdict_by_quotations(*texts, MIN_SCORE) == "related") is other
    assert (verdict_by_quotations(*reversed(texts), MIN_SCORE) == "related") is other
