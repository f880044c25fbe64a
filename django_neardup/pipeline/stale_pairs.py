"""Pairs that another judge, or another snapshot of boilerplate, has judged."""

from __future__ import annotations

from collections.abc import Collection
from functools import reduce
from operator import or_

from django.db.models import Q, QuerySet

from ..judge.version import JUDGE_VERSION
from ..models import Pair, Scheme
from .boilerplate_store import named_digest


def stale_pairs(
    using: str, content_types: Collection[int] | None = None, profile: str | None = None
) -> QuerySet[Pair]:
    """Return the pairs of active schemes that the present judge has not judged.

    ``content_types``: at least one side is a post of these content types. None means all posts.
    ``profile``: only pairs of this profile.
    """
    schemes = Scheme.objects.using(using).filter(state=Scheme.State.ACTIVE).defer("synonyms")
    if profile is not None:
        schemes = schemes.filter(profile=profile)
    pairs = Pair.objects.using(using).filter(reduce(or_, map(_is_stale, schemes), Q(pk__in=())))
    if content_types is None:
        return pairs
    return pairs.filter(Q(a__content_type__in=content_types) | Q(b__content_type__in=content_types))


def _is_stale(scheme: Scheme) -> Q:
    snapshot = named_digest(scheme)
    # Ranges, since an index does not find unequal values.
    other_version = Q(judge_version__lt=JUDGE_VERSION) | Q(judge_version__gt=JUDGE_VERSION)
    other_snapshot = Q(snapshot__lt=snapshot) | Q(snapshot__gt=snapshot)
    return Q(scheme=scheme) & (other_version | (Q(judge_version=JUDGE_VERSION) & other_snapshot))
