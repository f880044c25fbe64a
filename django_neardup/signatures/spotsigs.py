"""SpotSigs: short chains of content words that begin at stop words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from ..text.document import Document
from ..text.hashing import mix
from ..text.lists import words
from ..text.stopwords import STOP
from .bag import pack_bag
from .base import Algorithm
from .registry import register
from .sampled import least_keys, resemblance_of

RUSSIAN = "и в на что не с как это по но к из у за от для о же а то был была было были"
UKRAINIAN = "і й та з що як це до від про але був була було"
ENGLISH = "a an the is are was were be been do does did have has had said that"
ANTECEDENTS = words(f"{RUSSIAN} {UKRAINIAN} {ENGLISH}")
SPOT = 22


@register
class SpotSigs(Algorithm):
    """Spots, frequent little words (antecedents) each with the chain of content words that follow; Jaccard of them.

    From "at a rally to kick off": a:rally:kick.  The multisets of spots are compared, |A∩B| / |A∪B|: menus, headings
    and advertisements around an article have few little words, so that the article is what counts.
    Source: Theobald, Siddharth, Paepcke, "SpotSigs: robust and efficient near duplicate detection in large web
    collections" (2008), with English antecedents; the Russian and Ukrainian ones are ours, and so are the thresholds,
    .5 and .25.  A content word is a lemma that is neither a stop word nor an antecedent; antecedents are words as
    written.

    Options: `chain`, words of a chain (2); `distance`: each the so-manieth content word after the one before (1: the
    next); `least`, spots without which a text has no signature (3); `antecedents`.
    Keys: the spots, of more than 128 those that come first in a random order.

    Fails: adverts, lists and titles, which have few little words or none; a changed word is in the chains of as many
    little words as stand before it; texts in other languages need antecedents of their own.
    """

    name: ClassVar[str] = "spotsigs"
    options: ClassVar[tuple[str, ...]] = ("chain", "distance", "least", "antecedents")
    default_duplicate: ClassVar[float] = 0.5
    default_review: ClassVar[float] = 0.25

    def __init__(
        self,
        *,
        chain: int = 2,
        distance: int = 1,
        least: int = 3,
        antecedents: Iterable[str] = ANTECEDENTS,
        **common: Any,
    ) -> None:
        super().__init__(**common)
        if chain < 1 or distance < 1 or least < 1:
            raise ValueError(f"chain is {chain}, distance {distance}, least {least}: each is 1 or more")
        self.chain, self.distance, self.least = chain, distance, least
        self.antecedents = sorted(set(antecedents))

    def spots(self, document: Document) -> list[tuple[int, ...]]:
        """Places of the tokens of every spot, the antecedent's first, in order; spots cut short by the end are none."""
        begins = frozenset(self.antecedents)
        content: list[int] = []
        starts: list[tuple[int, int]] = []
        for place, token in enumerate(document.tokens):
            if token.surface in begins:
                starts.append((place, len(content)))
            elif token.key not in STOP:
                content.append(place)
        chains = (
            (place, content[first + self.distance - 1 : first + self.chain * self.distance : self.distance])
            for place, first in starts
        )
        return [(place, *chain) for place, chain in chains if len(chain) == self.chain]

    def signatures(self, document: Document) -> list[int]:
        """A hash a spot, in order; [] for a text of fewer than `least`."""
        spots = self.spots(document)
        hashes = document.hashes
        if len(spots) < self.least:
            return []
        return [mix(*(hashes[place] for place in spot), seed=SPOT) for spot in spots]

    def keys(self, document: Document) -> list[int]:
        return least_keys(self.signatures(document))

    def pack(self, document: Document) -> bytes:
        """A multiset of 4 bytes a spot, at most 16 KiB: of more than 4096 spots a sample."""
        return pack_bag(self.signatures(document))

    def measure(self, a: bytes, b: bytes) -> float:
        """|A∩B| / |A∪B| of the multisets of spots."""
        return resemblance_of(a, b)
