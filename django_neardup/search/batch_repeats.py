"""Repeated texts inside one batch.

Each text is compared with earlier texts of the batch that share keys with it. Earlier texts that are repeats
are left out.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from ..comparison.candidates import candidates_many
from ..comparison.memory_posts import MemoryPosts
from ..comparison.verify import verify_many
from ..comparison.work_limit import WorkLimit
from ..pipeline.schemes import algorithm_of
from ..pipeline.stage_types import SignedDocument
from ..pipeline.text_cache import cached_canonical_text
from ..text.canonical_text import CanonicalText
from .request import MAX_ALIGNED, SearchQuery


class BatchDuplicates:
    """The texts of a batch that were checked so far.

    If a text repeats an earlier one, later texts are not compared with it. So each of many similar texts
    costs one comparison. No text is aligned with more than ten others, except texts that share a sure key.
    ``units``: the limit of the work for each text.
    """

    def __init__(self, units: int) -> None:
        self._work = WorkLimit(units)
        self._leaders: dict[int, tuple[SignedDocument, SearchQuery]] = {}
        self._posts: MemoryPosts | None = None
        self._results_by_digest: dict[tuple[str, str], list[int]] = {}

    def find(self, number: int, signed_text: SignedDocument, query: SearchQuery) -> list[int]:
        """Return the numbers of the earlier texts that this text duplicates.

        ``number`` is the number of this text, 0 or more.
        """
        text_key = signed_text.space_digest, signed_text.exact_digest
        has_identity = any(signed_text.identity)
        if not has_identity and text_key in self._results_by_digest:
            return list(self._results_by_digest[text_key])
        numbered = replace(signed_text, document_id=number)
        posts = self._posts = self._posts or MemoryPosts(
            numbered.adapter.settings.bucket,
            MAX_ALIGNED,
            partial(algorithm_of, numbered.scheme),
            self._read_text,
            letters_of=self._letters_of,
            work=self._work,
        )
        pairs = verify_many([numbered], candidates_many([numbered], posts), posts)[number]
        repeated_numbers = sorted(
            pair.a.document_id for pair in pairs if pair.judgement.verdict == "duplicate"
        )
        if not repeated_numbers:
            leader = replace(numbered, batch=None)
            self._leaders[number] = leader, query
            posts.add(leader)
        if not has_identity:
            self._results_by_digest[text_key] = list(repeated_numbers) or [number]
        return repeated_numbers

    def is_partial(self, number: int) -> bool:
        """Return whether earlier texts were too long to be aligned with this one."""
        return number in self._work.screened

    def _letters_of(self, number: int) -> int:
        _leader, query = self._leaders[number]
        return len(query.source.text)

    def _read_text(self, number: int) -> CanonicalText:
        leader, query = self._leaders[number]
        return cached_canonical_text(query.adapter, query.source, query.source.digest, leader.scheme)
