"""The proposal to declare heads, if the first lines of the posts look like titles."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db import models

from ..adapters import Adapter
from ..algorithms.site_judgement import judge_on_site
from ..comparison.verify import apply_identity
from ..text.heads import first_line_length

if TYPE_CHECKING:
    from ..pipeline.stage_types import SignedDocument
    from ..text.canonical_text import CanonicalText
    from .sample_pipeline import PreviewResult

MAX_TITLE_WORDS = 12
"""Words of the longest title."""
_SENTENCE_END = re.compile(r"[.!?…](\s|$)|[,:;]$")


def has_title_line(text: str) -> bool:
    """Return whether the first line is short, ends no sentence, and a longer line follows."""
    first_line, _, body = text.partition("\n")
    title = first_line.strip()
    word_count = len(title.split())
    if not 0 < word_count <= MAX_TITLE_WORDS or _SENTENCE_END.search(title):
        return False
    return max(len(line.split()) for line in body.split("\n")) > word_count


MIN_TITLED_SHARE = 0.8
"""Share of posts with a first line that looks like a title."""
MIN_POSTS = 10
"""Fewer posts do not show what first lines are."""
MAX_TITLE_LENGTH = 255
"""Characters of the longest field that is a title."""
HEAD_METHOD = """    def head(self, instance):
        return self.text(instance).partition("\\n")[0]
"""


@dataclass(frozen=True)
class HeadProposal:
    """Lines for the adapter, and what they would change.

    - ``titled_share``: the share of posts with a first line that looks like a title, 0..1.
    - ``retitled_count``: grouped posts with another first line than the first post of their group.
    - ``changed_count``: how many of these would no longer be duplicates of it.
    """

    code: str
    titled_share: float
    retitled_count: int
    changed_count: int


def propose_heads(result: PreviewResult) -> HeadProposal | None:
    """Return a proposal. Return None if few posts have titles, or if the site has decided about heads."""
    adapter, readable_count = result.selection.adapter, result.read_count - result.unreadable_count
    if adapter.declares_heads or readable_count < MIN_POSTS:
        return None
    titled_share = result.titled_count / readable_count
    if titled_share < MIN_TITLED_SHARE:
        return None
    verdicts = [_judge_with_heads(*pair) for pair in _retitled_pairs(result)]
    changed_count = sum(verdict != "duplicate" for verdict in verdicts)
    return HeadProposal(_adapter_code(adapter), titled_share, len(verdicts), changed_count)


def _adapter_code(adapter: Adapter) -> str:
    """Return the attribute ``heads`` if the first field is a title, otherwise a method ``head()``."""
    if type(adapter).text is Adapter.text and len(adapter.fields) > 1:
        fields = {field.name: field for field in adapter.model._meta.concrete_fields}
        field = fields.get(adapter.fields[0])
        if isinstance(field, models.CharField) and (field.max_length or 0) <= MAX_TITLE_LENGTH:
            return f'    heads = ["{field.name}"]\n'
    return HEAD_METHOD


def _retitled_pairs(result: PreviewResult) -> Iterator[tuple[SignedDocument, SignedDocument]]:
    """Yield the first post of a group and another one, if their first lines have other words."""
    for leader, *others in result.groups:
        for other in others:
            pair = result.signed_posts[leader], result.signed_posts[other]
            a, b = map(_with_head, pair)
            if a.hashes[: a.head_end] != b.hashes[: b.head_end]:
                yield pair


def _judge_with_heads(a: SignedDocument, b: SignedDocument) -> str:
    judgement = judge_on_site(a.algorithm, _with_head(a), _with_head(b))
    return apply_identity(judgement, a.identity, b.identity).verdict


def _with_head(post: SignedDocument) -> CanonicalText:
    assert post.text is not None
    return post.text.with_head(first_line_length(post.text.raw))
