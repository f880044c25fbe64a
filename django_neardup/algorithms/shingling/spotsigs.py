"""SpotSigs: short chains of content words that begin at stop words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from ...text.canonical_text import CanonicalText
from ...text.hashing import mix
from ...text.tokens.stopwords import STOP_WORDS
from ...text.word_lists import word_set
from ..bag_of_words import pack_bag
from ..base import Algorithm
from ..key_sampling import bottom_k_keys, resemblance_of
from ..registry import register

RUSSIAN_ANTECEDENTS = "и в на что не с как это по но к из у за от для о же а то был была было были"
UKRAINIAN_ANTECEDENTS = "і й та з що як це до від про але був була було"
ENGLISH_ANTECEDENTS = "a an the is are was were be been do does did have has had said that"
ANTECEDENTS = word_set(f"{RUSSIAN_ANTECEDENTS} {UKRAINIAN_ANTECEDENTS} {ENGLISH_ANTECEDENTS}")
SPOT_SEED = 22


@register
class SpotSigs(Algorithm):
    """Spots: frequent little words (antecedents), each with the content words that follow; Jaccard score.

    From "at a rally to kick off": a:rally:kick. The multisets of spots are compared, |A∩B| / |A∪B|. Menus,
    headings and advertisements around an article have few little words, so that only the article counts.

    Source: Theobald, Siddharth, Paepcke, "SpotSigs: robust and efficient near duplicate detection in large
    web collections" (2008), with English antecedents. The Russian and Ukrainian ones are ours, and so are
    the thresholds, .5 and .25. A content word is a lemma that is neither a stop word nor an antecedent.
    Antecedents are words as written.

    Options:

    - ``chain``: words of a chain (2)
    - ``distance``: each word of a chain is this many content words after the one before (1: the next)
    - ``least``: the number of spots that a text needs for a signature (3)
    - ``antecedents``: the little words

    Keys: the spots. If there are more than 128, the 128 that come first in a random order.

    Fails: adverts, lists and titles have few little words or none. A changed word is in the chains of all
    little words that stand just before it. Texts in other languages need other antecedents.
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
        **common_options: Any,
    ) -> None:
        super().__init__(**common_options)
        if chain < 1 or distance < 1 or least < 1:
            raise ValueError(f"chain is {chain}, distance {distance}, least {least}: each is 1 or more")
        self.chain, self.distance, self.least = chain, distance, least
        # Sorted, because options are stored with the scheme: another order is not another scheme.
        self.antecedents = sorted(set(antecedents))

    def spots(self, text: CanonicalText) -> list[tuple[int, ...]]:
        """Return the token positions of every spot, in order. The position of the antecedent comes first.

        Spots that the end of the text cuts short are left out.
        """
        antecedents = frozenset(self.antecedents)
        content: list[int] = []
        starts: list[tuple[int, int]] = []
        for position, token in enumerate(text.tokens):
            if token.surface in antecedents:
                starts.append((position, len(content)))
            elif token.key not in STOP_WORDS:
                content.append(position)
        chains = (
            (
                position,
                content[first + self.distance - 1 : first + self.chain * self.distance : self.distance],
            )
            for position, first in starts
        )
        return [(position, *chain) for position, chain in chains if len(chain) == self.chain]

    def signatures(self, text: CanonicalText) -> list[int]:
        """Return a hash for each spot, in order. Return [] for a text of fewer than ``least`` spots."""
        spots = self.spots(text)
        hashes = text.hashes
        if len(spots) < self.least:
            return []
        return [mix(*(hashes[position] for position in spot), seed=SPOT_SEED) for spot in spots]

    def keys(self, text: CanonicalText) -> list[int]:
        return bottom_k_keys(self.signatures(text))

    def payload(self, text: CanonicalText) -> bytes:
        """Return a multiset of 4 bytes a spot, at most 16 KiB: a sample for more than 4096 spots."""
        return pack_bag(self.signatures(text))

    def measure(self, a: bytes, b: bytes) -> float:
        """Return |A∩B| / |A∪B| of the multisets of spots."""
        return resemblance_of(a, b)
