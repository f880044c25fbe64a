"""Algorithm A11 of the RCDL-2007 comparison: pairs of a whole collection, by splitting it into lists."""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from ...text.canonical_text import CanonicalText
from ...text.hashing import mix
from ..bag_of_words import common_share, pack_bag
from ..base import Algorithm
from ..registry import register

SENTENCE_FEATURES = 3
MAX_WORD_FEATURES = 256
FEATURES_PER_COLLECTION, FEATURES_PER_LIST = 16, 2
MAX_SPLITS = 4
SENTENCE_SEED = 1


@register
class Decomposition(Algorithm):
    """Lists of texts with a common feature, split again until the texts of a list can be compared in pairs.

    Each text contributes its rarest features: sixteen of the collection, then two of every list. Splitting
    goes on while a text of the list has more than ``partners`` other texts of similar length. Lengths are
    similar if the shorter is at least ``length_ratio`` of the longer. Features are the three longest sentences
    and the words.

    A pair counts if the share of common words, |A∩B| / max(|A|, |B|) of multisets, reaches ``review``. If
    ``length_ratio`` is at most ``review``, the lengths refuse no pair that the words would accept.

    A text is not split further if its whole list has at least half of its features, as among equal texts, or
    if four splits did not make its list short. Such texts are compared only with their next ``partners`` in
    the order of lengths. So work grows with the number of texts, and pairs in very large groups are left
    out.

    There are no signatures: the algorithm needs the whole collection (``find_pairs``), and ``keys`` is always
    [].

    Source: Zelenkov, Segalovich (RCDL 2007), algorithm A11. The article states only that length separates
    texts well, and that lists of texts with the same feature are built. The rest is a reconstruction.

    Fails if the words of a text are in every text.
    """

    name: ClassVar[str] = "decomposition"
    options: ClassVar[tuple[str, ...]] = ("length_ratio", "partners")
    default_duplicate: ClassVar[float] = 0.85
    default_review: ClassVar[float] = 0.85
    bench_only: ClassVar[bool] = True

    def __init__(self, *, length_ratio: float = 0.85, partners: int = 32, **common_options: Any) -> None:
        super().__init__(**common_options)
        if not 0 <= length_ratio <= 1 or partners < 1:
            raise ValueError("length_ratio is within 0..1, partners is 1 or more")
        self.length_ratio, self.partners = length_ratio, partners

    def keys(self, text: CanonicalText) -> list[int]:
        return []

    def payload(self, text: CanonicalText) -> bytes:
        return pack_bag(text.hashes)

    def measure(self, a: bytes, b: bytes) -> float:
        """Return |A∩B| / max(|A|, |B|) of the multisets of words."""
        return common_share(a, b)

    def find_pairs(self, canonical_texts: Sequence[CanonicalText]) -> list[tuple[int, int]]:
        """Return pairs of indices, the lower one first, of texts alike by at least ``review``.

        The pairs are sorted, and each occurs once.
        """
        indices = [index for index, canonical_text in enumerate(canonical_texts) if len(canonical_text)]
        indices.sort(
            key=lambda index: (len(canonical_texts[index]), canonical_texts[index].exact_digest, index)
        )
        texts = [canonical_texts[index] for index in indices]
        payloads = [self.payload(text) for text in texts]
        pairs = [
            (min(indices[first], indices[second]), max(indices[first], indices[second]))
            for first, second in self._candidate_pairs(texts)
            if self.measure(payloads[first], payloads[second]) >= self.review
        ]
        return sorted(pairs)

    def _candidate_pairs(self, texts: Sequence[CanonicalText]) -> set[tuple[int, int]]:
        """Return pairs of positions, the lower one first, in a sequence sorted by length."""
        lengths = [len(text) for text in texts]
        features = [features_of(text) for text in texts]
        lists = self._split_lists(range(len(texts)), lengths, features, MAX_SPLITS)
        return {pair for members in lists for pair in self._neighbour_pairs(members, lengths)}

    def _split_lists(
        self, members: Sequence[int], lengths: Sequence[int], features: Sequence[Sequence[int]], depth: int
    ) -> Iterator[Sequence[int]]:
        """Yield the lists to compare: short ones, and lists that cannot be split further."""
        if not depth or self._is_short_list(members, lengths):
            yield members
            return
        counts = Counter(feature for member in members for feature in features[member])
        size = len(members)
        feature_limit = FEATURES_PER_COLLECTION if depth == MAX_SPLITS else FEATURES_PER_LIST
        members_by_feature: dict[int, list[int]] = defaultdict(list)
        for member in members:
            for feature in rarest_features(features[member], counts, size, feature_limit):
                members_by_feature[feature].append(member)
        common_feature_count = sum(count == size for count in counts.values())
        # A feature that the whole list has cannot split it. Texts with mostly such features are compared
        # here.
        yield [member for member in members if 2 * common_feature_count >= len(features[member])]
        for sublist in members_by_feature.values():
            yield from self._split_lists(sublist, lengths, features, depth - 1)

    def _is_short_list(self, members: Sequence[int], lengths: Sequence[int]) -> bool:
        """Return whether no text of the list has more than ``partners`` longer texts of similar length."""
        # The list is sorted by length, so one comparison a text is enough.
        step = self.partners + 1
        return not any(
            self._has_similar_length(lengths[shorter], lengths[longer])
            for shorter, longer in zip(members, members[step:])
        )

    def _neighbour_pairs(self, members: Sequence[int], lengths: Sequence[int]) -> Iterator[tuple[int, int]]:
        """Yield each text with the next ``partners`` texts of the list, while their lengths are similar."""
        for position, member in enumerate(members):
            for other in members[position + 1 : position + 1 + self.partners]:
                if not self._has_similar_length(lengths[member], lengths[other]):
                    break
                yield member, other

    def _has_similar_length(self, shorter: int, longer: int) -> bool:
        return shorter >= self.length_ratio * longer


def features_of(text: CanonicalText) -> list[int]:
    """Return hashes of a text's three longest sentences and of at most 256 words, the words with the least
    hashes.
    """
    sentences = {
        mix(*text.hashes[start:end], seed=SENTENCE_SEED): end - start for start, end in text.sentences
    }
    longest = heapq.nsmallest(
        SENTENCE_FEATURES, sentences, key=lambda sentence: (-sentences[sentence], sentence)
    )
    return [*longest, *heapq.nsmallest(MAX_WORD_FEATURES, set(text.hashes))]


def rarest_features(features: Sequence[int], counts: Counter[int], text_count: int, limit: int) -> list[int]:
    """Return the features that the fewest texts of a list have, at most ``limit``.

    A feature of a single text or of all texts does not count.
    """
    useful = sorted((counts[feature], feature) for feature in features if 1 < counts[feature] < text_count)
    return [feature for _, feature in useful[:limit]]
