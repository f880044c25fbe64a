"""The default keeper of a group: the post that the site's policy proposes if the moderator has chosen none."""

from __future__ import annotations

from dataclasses import replace

from ..adapters import adapters_of
from ..moderation.keeper import KeeperProposal, propose_keeper
from .decision_groups import OfferedPosts, ReviewItem


def keeper_proposal(item: ReviewItem) -> KeeperProposal | None:
    """Return the keeper that the policy proposes for the group or the pair.

    Return None if one of the posts is gone, and for posts beside one: of these none is merged.
    """
    is_complete = item.keeper is not None and len(item.losers) == len(item.selected_documents)
    if item.keeper is None or not is_complete or isinstance(item.source, OfferedPosts):
        return None
    posts = [item.keeper, *item.losers]
    return propose_keeper(posts, item.using) if all(adapters_of(post) for post in posts) else None


def with_proposed_keeper(item: ReviewItem, proposal: KeeperProposal | None) -> ReviewItem:
    """Return the group with the proposed post as its keeper.

    Return the group unchanged if there is no proposal or the proposed post is the keeper already.
    """
    documents = {document.pk: document for document in item.documents}
    keeper = next(
        (
            documents[key]
            for key, post in item.objects_by_document.items()
            if proposal and post == proposal.post
        ),
        None,
    )
    if keeper is None or keeper is item.keeper_document:
        return item
    former_keeper = item.keeper_document
    taking_part = {former_keeper.pk, *(document.pk for document in item.selected_documents)}
    others = sorted(
        (document for document in item.documents if document is not keeper),
        key=lambda document: document.static_order,
    )
    # The score of the pair of both keepers was stored under the new one. Now it belongs to the former one.
    seen = {**item.seen_by_document, former_keeper.pk: item.seen_by_document[keeper.pk]}
    exact = (
        item.exact_document_ids | {former_keeper.pk}
        if keeper.pk in item.exact_document_ids
        else item.exact_document_ids
    )
    selected = [document for document in others if document.pk in taking_part]
    return replace(
        item,
        keeper_document=keeper,
        other_documents=others,
        selected_documents=selected,
        seen_by_document=seen,
        exact_document_ids=exact,
    )
