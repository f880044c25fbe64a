"""The posts that were compared with a text, best first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.db.models import Model

from ..adapters import Source
from ..algorithms.base import VERDICTS, Judgement
from ..comparison.candidates import candidates_many
from ..comparison.compared_texts import JudgedPair
from ..comparison.verify import apply_identity, verify_many
from ..pipeline.stage_types import SignedDocument
from .visible_posts import VisiblePosts


@dataclass(frozen=True, slots=True)
class JudgedPost:
    """A post that was compared with a text.

    The first side of the judgement is the text. ``source`` is the post's source.
    """

    instance: Model
    source: Source
    judgement: Judgement
    static_order: tuple[int, int, int]

    @property
    def rank(self) -> tuple[int, bool, float, tuple[int, int, int]]:
        """The sort key: verdict, exact copies, score, then static order. The best is first."""
        judgement = self.judgement
        return VERDICTS.index(judgement.verdict), not judgement.exact, -judgement.score, self.static_order


def judge_posts(
    signed_texts: Sequence[SignedDocument], posts: VisiblePosts, limit: int
) -> dict[int, list[JudgedPost]]:
    """Compare each text with its best candidates.

    Return all compared posts by document id of the text, best first. The result also holds posts that turn
    out not to be similar. ``limit``: see ``VisiblePosts.select_candidates``.
    """
    candidates = posts.select_candidates(signed_texts, candidates_many(signed_texts, posts), limit)
    pairs = verify_many(signed_texts, candidates, posts)
    return {
        text.document_id: sorted(
            _judged_posts(text, pairs[text.document_id], posts), key=lambda post: post.rank
        )
        for text in signed_texts
    }


def _judged_posts(
    text: SignedDocument, pairs: Sequence[JudgedPair], posts: VisiblePosts
) -> Iterator[JudgedPost]:
    for pair in pairs:
        # The ids of texts are negative, so the post is the second side.
        post_id = pair.b.document_id
        if read_post := posts.read_post(post_id):
            instance, source = read_post
            judgement = apply_identity(pair.judgement, text.identity, source.identity)
            yield JudgedPost(instance, source, judgement, posts.static_order(post_id))
