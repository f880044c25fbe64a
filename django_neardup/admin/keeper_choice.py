"""Who stays of a group where nobody has chosen: the post that the site's policy proposes."""

from __future__ import annotations

from dataclasses import replace

from ..adapters import adapters_of
from ..moderation.keeper import KeeperProposal, propose_keeper
from .decision_groups import ReviewItem


def keeper_proposal(item: ReviewItem) -> KeeperProposal | None:
    """What the policy says of the group's posts; nothing where one of them is gone."""
    if item.keeper is None or len(item.losers) < len(item.selected_documents):
        return None
    posts = [item.keeper, *item.losers]
    return propose_keeper(posts, item.using) if all(adapters_of(post) for post in posts) else None


def with_proposed_keeper(item: ReviewItem, proposal: KeeperProposal | None) -> ReviewItem:
    """The group with the proposed post as the one that stays."""
    documents = {each.pk: each for each in item.documents}
    stays = next(
        (
            documents[key]
            for key, post in item.objects_by_document.items()
            if proposal and post == proposal.post
        ),
        None,
    )
    if stays is None or stays is item.keeper_document:
        return item
    before = item.keeper_document
    taking_part = {before.pk, *(each.pk for each in item.selected_documents)}
    others = sorted(
        (each for each in item.documents if each is not stays), key=lambda each: each.static_order
    )
    seen = {**item.seen_by_document, before.pk: item.seen_by_document[stays.pk]}
    exact = (
        item.exact_document_ids | {before.pk}
        if stays.pk in item.exact_document_ids
        else item.exact_document_ids
    )
    chosen = [each for each in others if each.pk in taking_part]
    return replace(
        item,
        keeper_document=stays,
        other_documents=others,
        selected_documents=chosen,
        seen_by_document=seen,
        exact_document_ids=exact,
    )
