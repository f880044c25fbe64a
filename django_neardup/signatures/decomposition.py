"""A11 of the RCDL-2007 comparison: pairs of a whole collection, by decomposition into lists."""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from ..text.document import Document
from ..text.hashing import mix
from .bag import common_share, pack_bag
from .base import Algorithm
from .registry import register

SENTENCES = 3
WORDS = 256
OF_COLLECTION, OF_LIST = 16, 2
DEPTH = 4
SENTENCE = 1


@register
class Decomposition(Algorithm):
    """Lists of texts with a common feature, each split by the next feature until its texts can be compared in pairs.

    Of each text the rarest features are taken, sixteen of the collection, then two of every list, as long as
    a text of the list has more than `partners` others of like length; lengths are alike if the shorter is at least
    `length_ratio` of the longer.  Features: the three longest sentences and the words.  A pair counts if the share of
    common words, |A∩B| / max(|A|, |B|) of multisets, reaches `review`; with `length_ratio` at most `review`, lengths
    refuse nothing that words would not.  Texts of which a list has at least half of the features in common, such as
    equal ones, are compared with their `partners` next ones in the order of lengths, and so are the texts of a list
    that four splits did not make short: work grows with the number of texts, and pairs of crowds are left out.

    No signature: it needs the whole collection at once (`pairs`); `keys` is always [].  Source: Zelenkov, Segalovich
    (RCDL 2007), algorithm A11.  The article states that length separates texts well and that lists of texts with the
    same feature are found, and no more: all else is a reconstruction.  Fails on texts whose words are in every text.
    """

    name: ClassVar[str] = "decomposition"
    options: ClassVar[tuple[str, ...]] = ("length_ratio", "partners")
    default_duplicate: ClassVar[float] = 0.85
    default_review: ClassVar[float] = 0.85
    batch: ClassVar[bool] = True

    def __init__(self, *, length_ratio: float = 0.85, partners: int = 32, **common: Any) -> None:
        super().__init__(**common)
        if not 0 <= length_ratio <= 1 or partners < 1:
            raise ValueError("length_ratio is within 0..1, partners is 1 or more")
        self.length_ratio, self.partners = length_ratio, partners

    def keys(self, document: Document) -> list[int]:
        return []

    def pack(self, document: Document) -> bytes:
        return pack_bag(document.hashes)

    def measure(self, a: bytes, b: bytes) -> float:
        """|A∩B| / max(|A|, |B|) of the multisets of words."""
        return common_share(a, b)

    def pairs(self, documents: Sequence[Document]) -> list[tuple[int, int]]:
        """Pairs of indices, the lower one first, of texts alike by at least `review`; sorted, each once."""
        places = [place for place, document in enumerate(documents) if len(document)]
        places.sort(key=lambda place: (len(documents[place]), documents[place].exact, place))
        texts = [documents[place] for place in places]
        packed = [self.pack(text) for text in texts]
        found = [
            (min(places[i], places[j]), max(places[i], places[j]))
            for i, j in self._candidates(texts)
            if self.measure(packed[i], packed[j]) >= self.review
        ]
        return sorted(found)

    def _candidates(self, texts: Sequence[Document]) -> set[tuple[int, int]]:
        """Pairs of places, the lower one first, in a sequence in the order of lengths."""
        lengths = [len(text) for text in texts]
        features = [features_of(text) for text in texts]
        lists = self._lists(range(len(texts)), lengths, features, DEPTH)
        return {pair for members in lists for pair in self._neighbours(members, lengths)}

    def _lists(
        self, members: Sequence[int], lengths: Sequence[int], features: Sequence[Sequence[int]], depth: int
    ) -> Iterator[Sequence[int]]:
        """The lists to compare: short ones, and those that are not to be split further."""
        if not depth or self._is_short(members, lengths):
            yield members
            return
        counts = Counter(feature for member in members for feature in features[member])
        size = len(members)
        most = OF_COLLECTION if depth == DEPTH else OF_LIST
        split: dict[int, list[int]] = defaultdict(list)
        for member in members:
            for feature in rarest(features[member], counts, size, most):
                split[feature].append(member)
        common = sum(count == size for count in counts.values())
        yield [member for member in members if 2 * common >= len(features[member])]
        for part in split.values():
            yield from self._lists(part, lengths, features, depth - 1)

    def _is_short(self, members: Sequence[int], lengths: Sequence[int]) -> bool:
        """Whether no text of the list has more than `partners` longer ones of like length."""
        step = self.partners + 1
        return not any(self._alike(lengths[a], lengths[b]) for a, b in zip(members, members[step:]))

    def _neighbours(self, members: Sequence[int], lengths: Sequence[int]) -> Iterator[tuple[int, int]]:
        """Each text with the next `partners` of the list, as far as their lengths are alike."""
        for place, member in enumerate(members):
            for other in members[place + 1 : place + 1 + self.partners]:
                if not self._alike(lengths[member], lengths[other]):
                    break
                yield member, other

    def _alike(self, shorter: int, longer: int) -> bool:
        return shorter >= self.length_ratio * longer


def features_of(text: Document) -> list[int]:
    """The three longest sentences and at most 256 words of a text, those of the least hashes, as hashes."""
    sentences = {mix(*text.hashes[start:end], seed=SENTENCE): end - start for start, end in text.sentences}
    longest = heapq.nsmallest(SENTENCES, sentences, key=lambda sentence: (-sentences[sentence], sentence))
    return [*longest, *heapq.nsmallest(WORDS, set(text.hashes))]


def rarest(features: Sequence[int], counts: Counter[int], texts: int, most: int) -> list[int]:
    """The features, `most` of them, that fewest texts of a list have, but more than one and not all."""
    useful = sorted((counts[feature], feature) for feature in features if 1 < counts[feature] < texts)
    return [feature for _, feature in useful[:most]]
