"""Who stays of a group where nobody has chosen: the post that the site's policy proposes."""

from __future__ import annotations

from dataclasses import replace

from ..adapters import adapters_of
from ..merging.keeper import Proposal, propose
from .groups import Group


def proposal_of(group: Group) -> Proposal | None:
    """What the policy says of the group's posts; nothing where one of them is gone."""
    if group.keeper is None or len(group.losers) < len(group.chosen):
        return None
    posts = [group.keeper, *group.losers]
    return propose(posts, group.using) if all(adapters_of(post) for post in posts) else None


def following(group: Group, proposal: Proposal | None) -> Group:
    """The group with the proposed post as the one that stays."""
    documents = {each.pk: each for each in group.documents}
    stays = next(
        (documents[key] for key, post in group.objects.items() if proposal and post == proposal.instance),
        None,
    )
    if stays is None or stays is group.stays:
        return group
    before = group.stays
    taking_part = {before.pk, *(each.pk for each in group.chosen)}
    others = sorted((each for each in group.documents if each is not stays), key=lambda each: each.order)
    seen = {**group.seen, before.pk: group.seen[stays.pk]}
    exact = group.exact | {before.pk} if stays.pk in group.exact else group.exact
    chosen = [each for each in others if each.pk in taking_part]
    return replace(group, stays=stays, others=others, chosen=chosen, seen=seen, exact=exact)
