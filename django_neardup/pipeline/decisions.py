"""What people decide: remembered under the space's lock, and followed by the clusters at once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from uuid import UUID, uuid4

from django.utils import timezone

from ..conf import get_profile
from ..models import Decision, DecisionMember, Document, Pair, Scheme, Space
from ..portions import portions
from ..signals import decision_made
from .assign import recluster
from .facts import digests, pairs_of
from .locks import retrying, space_lock
from .schemes import active_scheme
from .told import Told, in_force, told_on


def decide(
    kind: str,
    documents: Sequence[Document],
    by: Any,
    using: str,
    sides: Mapping[int, int] | None = None,
    note: str = "",
    check: Callable[[], None] | None = None,
    batch: UUID | None = None,
) -> Decision:
    """Remember that those documents are ``"same"`` or ``"different"``; two at least, of one space.

    ``sides`` sets some against the rest: ``{document id: 1 or 2}``. ``check`` is called under the lock, before
    anything is written: what it raises leaves all as it was. ``batch`` names the confirmation that it belongs to,
    None for one of its own. ValueError for fewer than two documents, or for
    documents of unlike spaces.
    """
    spaces = {document.space_id for document in documents}
    if len({document.pk for document in documents}) < 2 or len(spaces) != 1 or spaces == {None}:
        raise ValueError("A decision needs two documents or more, all of one space.")
    decision = retrying(_decide, kind, documents, by, using, sides or {}, note, check, batch or uuid4())
    decision_made.send_robust(sender=Decision, decision=decision, using=using)
    return decision


def withdraw(decision: Decision, by: Any, using: str) -> bool:
    """Take a decision back; the clusters follow. False, and nothing is changed, where it was taken back already."""
    return retrying(_withdraw, decision, by, using)


def _decide(
    kind: str,
    documents: Sequence[Document],
    by: Any,
    using: str,
    sides: Mapping[int, int],
    note: str,
    check: Callable[[], None] | None,
    batch: UUID,
) -> Decision:
    space = Space.objects.using(using).get(documents=documents[0])
    scheme = active_scheme(get_profile(space.profile), using)
    with space_lock([space.pk], using):
        if check is not None:
            check()
        ids = {document.pk for document in documents}
        pairs = [pair for pair in pairs_of(ids, scheme.pk, using) if {pair.a_id, pair.b_id} <= ids]
        decision = Decision.objects.using(using).create(
            kind=kind,
            space=space,
            note=note,
            batch=batch,
            known={f"{pair.a_id}-{pair.b_id}": [pair.verdict, pair.classes, pair.score] for pair in pairs},
            **_who(by),
        )
        stored = digests(ids, scheme.pk, using)
        DecisionMember.objects.using(using).bulk_create(
            DecisionMember(
                decision=decision, document_id=pk, side=sides.get(pk, 0), digest=stored.get(pk, "")
            )
            for pk in sorted(ids)
        )
        _follow(ids, pairs, scheme, using)
    return decision


def _withdraw(decision: Decision, by: Any, using: str) -> bool:
    scheme = active_scheme(get_profile(decision.space.profile), using)
    ids = {*Told.of(decision).documents}
    with space_lock({decision.space_id, *_spaces_of(decision, using)}, using):
        standing = Decision.objects.using(using).filter(pk=decision.pk, withdrawn=None)
        if not standing.update(withdrawn=timezone.now(), withdrawn_by=_who(by)["by_name"]):
            return False
        pairs = [pair for pair in pairs_of(ids, scheme.pk, using) if {pair.a_id, pair.b_id} <= ids]
        _follow(ids, pairs, scheme, using)
    return True


def _follow(documents: set[int], pairs: Sequence[Pair], scheme: Scheme, using: str) -> None:
    """Renew what is in force on those pairs, and the clusters."""
    decisions = told_on([(pair.a_id, pair.b_id) for pair in pairs], using)
    changed: defaultdict[int | None, list[int]] = defaultdict(list)
    for pair in pairs:
        decision = in_force(pair, decisions.get((pair.a_id, pair.b_id), ()))
        number = None if decision is None else decision.pk
        if number != pair.decision_id:
            changed[number].append(pair.pk)
    for number, keys in changed.items():
        for some in portions(keys):
            Pair.objects.using(using).filter(pk__in=some).update(decision=number)
    recluster(scheme, documents, using)


def _spaces_of(decision: Decision, using: str) -> set[int]:
    """The spaces where its documents are now."""
    rows = Document.objects.using(using).filter(decisions__decision=decision, space__isnull=False)
    return set(rows.values_list("space", flat=True).distinct())


def _who(by: Any) -> dict[str, str]:
    if by is None:
        return {"by": "", "by_name": ""}
    return {"by": str(by.pk), "by_name": str(by)[:255]}
