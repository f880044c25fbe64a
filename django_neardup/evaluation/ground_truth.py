"""Known relations between the texts of a set."""

from __future__ import annotations

from .corpora import Corpus

MAX_CHANGED_SHARE = 0.5
"""Share of changed words, 0..1, up to which a true pair must be a candidate."""


class GroundTruth:
    """The labels of a set, and then its groups.

    - ``candidate_pairs``: pairs labelled as one text with at most half of the words changed.
    - ``labelled_pairs``: all pairs labelled as one text, except pairs in which one text contains the other.
    - ``known_groups``: the group of each text. If a group is named after its source, texts that are labelled
      as more than an edit of the source are left out.
    """

    def __init__(self, corpus: Corpus) -> None:
        self._labels = {frozenset((pair.a, pair.b)): pair.is_duplicate for pair in corpus.pairs}
        true_pairs = [pair for pair in corpus.pairs if pair.is_duplicate]
        self.candidate_pairs = {
            frozenset((true_pair.a, true_pair.b))
            for true_pair in true_pairs
            if true_pair.changed_share is None or true_pair.changed_share <= MAX_CHANGED_SHARE
        }
        self.labelled_pairs = {
            frozenset((true_pair.a, true_pair.b)) for true_pair in true_pairs if not true_pair.is_containment
        }
        self._groups = corpus.groups
        # Texts of a group that are more than an edit of its source, such as a containment.
        self._ambiguous_texts = {
            key
            for pair in corpus.pairs
            if not pair.is_duplicate or pair.is_containment
            for key in (pair.a, pair.b)
            if corpus.groups.get(pair.a) == corpus.groups.get(pair.b) is not None
            and corpus.groups[key] != key
        }
        # Versions of one text that differ much from one another are a matter of policy, and still versions.
        more_than_edits = {
            key
            for pair in corpus.pairs
            if not pair.is_duplicate or pair.is_containment
            for key, other in ((pair.a, pair.b), (pair.b, pair.a))
            if corpus.groups.get(key) == other
        }
        self.known_groups = {key: group for key, group in corpus.groups.items() if key not in more_than_edits}

    def relation(self, a: str, b: str) -> str:
        """Return ``same``, ``different`` or ``unknown``.

        A label decides first. Without a label and without known groups, the relation is unknown. It is also
        unknown for two texts of one group if one of them is more than an edit of its source.
        """
        # The default is not None: None is the label of a pair that is a matter of policy.
        label = self._labels.get(frozenset((a, b)), "")
        if label != "":
            return {True: "same", False: "different", None: "unknown"}[label]  # type: ignore[index]
        group_a, group_b = self._groups.get(a), self._groups.get(b)
        if group_a is None or group_b is None:
            return "unknown"
        if group_a != group_b:
            return "different"
        return "unknown" if a in self._ambiguous_texts or b in self._ambiguous_texts else "same"
