"""The texts of posts that are sent to the index: those of profiles whose CANDIDATES are a search of words, no others.

No table holds them. They are read from the posts at the time at which their keys are sent, so a text is as new as
the keys, or newer. A post that is deleted, hidden from comparison or unreadable has none.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...adapters import language_of, read_sources
from ...conf import KEYS
from ...db.sql import filter_in_chunks
from ...models import Fingerprint, Scheme
from ...registry import adapter_of
from ...text.normalization.offsets import PlainText
from ...text.normalization.plain_text import plain_text
from .text_search import PostText


class PostTexts:
    """Reads texts of one database under the schemes that are active now."""

    def __init__(self, using: str) -> None:
        self._using = using
        active = Scheme.objects.using(using).filter(state=Scheme.State.ACTIVE).defer("synonyms")
        self._schemes = {scheme.pk: scheme for scheme in active if scheme.candidates != KEYS}

    def read(self, documents: Sequence[int]) -> dict[int, PostText]:
        """Return the texts by document. Documents without one are left out."""
        if not self._schemes:
            return {}
        # A remembered deleted post has no source digest.
        fingerprints = (
            Fingerprint.objects.using(self._using).filter(scheme__in=self._schemes).exclude(source_digest="")
        )
        columns = (
            "document", "scheme", "document__space", "document__content_type", "document__object_id",
        )  # fmt: skip
        rows = [
            row
            for part in filter_in_chunks(fingerprints, "document", documents)
            for row in part.values_list(*columns)
        ]
        sources = read_sources([(content_type, key) for *_, content_type, key in rows], self._using)
        texts = {}
        for document, scheme_id, space, content_type, key in rows:
            scheme, adapter = self._schemes[scheme_id], adapter_of(content_type, self._using)
            source = sources.get((content_type, key))
            if source is None or adapter is None or not source.compared or adapter.profile != scheme.profile:
                continue
            text = plain_text(source.text, adapter.quotes, PlainText, adapter.markup).text
            texts[document] = PostText(space, source.live, language_of(adapter, scheme), text)
        return texts
