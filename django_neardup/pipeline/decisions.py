"""Store and withdraw moderators' decisions under the lock of the space.

The clusters follow in the same transaction.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID, uuid4

from django.utils import timezone

from ..algorithms.base import Judgement
from ..conf import get_profile
from ..db.chunks import chunked
from ..models import Decision, DecisionMember, Document, Pair, Scheme, Space
from ..signals import decision_made
from .clusters.assign import recluster
from .decision_lookup import DecisionScope, decision_in_force, decision_scopes_for_pairs
from .locks import call_with_retries, space_lock
from .pairs import pairs_of, source_digests_of
from .schemes import active_scheme


def decide(
    kind: str,
    documents: Sequence[Document],
    user: Any,
    using: str,
    sides: Mapping[int, int] | None = None,
    note: str = "",
    check: Callable[[], None] | None = None,
    batch: UUID | None = None,
) -> Decision:
    """Store the decision that documents are ``"same"`` or ``"different"``.

    - ``sides``: ``{document id: 1 or 2}`` sets some documents against the rest.
    - ``check`` is called under the lock before anything is written. If it raises an error, nothing changes.
    - ``batch``: the confirmation that the decision belongs to. None makes a new one.

    Raise ValueError for fewer than two documents, or for documents of different spaces.
    """
    spaces = {document.space_id for document in documents}
    if len({document.pk for document in documents}) < 2 or len(spaces) != 1 or spaces == {None}:
        raise ValueError("A decision needs two or more documents of one space.")
    decision = call_with_retries(
        _decide, kind, documents, user, using, sides or {}, note, check, batch or uuid4()
    )
    decision_made.send_robust(sender=Decision, decision=decision, using=using)
    return decision


def withdraw(decision: Decision, user: Any, using: str) -> bool:
    """Withdraw a decision; the clusters follow.

    Return False, and change nothing, if it was withdrawn before.
    """
    return call_with_retries(_withdraw, decision, user, using)


def keep_in_force(judged_pairs: Iterable[tuple[Pair, Judgement]], using: str) -> None:
    """Keep decisions in force on pairs with another judgement of the same texts.

    The caller holds the lock of the space, and stores the judgements afterwards.
    """
    # A decision lapses if a text has changed and the verdict is another. Here only the judge has changed, so
    # the decision has to know the new verdict too.
    states_by_decision: defaultdict[int, dict[str, list[str]]] = defaultdict(dict)
    for pair, judgement in judged_pairs:
        if pair.decision_id is not None:
            state = [judgement.verdict, ",".join(judgement.classes)]
            states_by_decision[pair.decision_id][f"{pair.a_id}-{pair.b_id}"] = state
    decisions = Decision.objects.using(using).select_for_update().order_by("pk")
    for decision in decisions.filter(pk__in=states_by_decision):
        for key, state in states_by_decision[decision.pk].items():
            if key in decision.known:
                decision.known[key] = [*decision.known[key][:3], *state]
        decision.save(update_fields=["known"])


def _decide(
    kind: str,
    documents: Sequence[Document],
    user: Any,
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
            **_user_columns(user),
        )
        digests = source_digests_of(ids, scheme.pk, using)
        DecisionMember.objects.using(using).bulk_create(
            DecisionMember(
                decision=decision, document_id=pk, side=sides.get(pk, 0), digest=digests.get(pk, "")
            )
            for pk in sorted(ids)
        )
        _update_pairs_and_clusters(ids, pairs, scheme, using)
    return decision


def _withdraw(decision: Decision, user: Any, using: str) -> bool:
    scheme = active_scheme(get_profile(decision.space.profile), using)
    ids = {*DecisionScope.from_decision(decision).opposed_members}
    with space_lock({decision.space_id, *_spaces_of(decision, using)}, using):
        not_withdrawn = Decision.objects.using(using).filter(pk=decision.pk, withdrawn=None)
        # Under the lock: of two withdrawals at the same time only one has an effect.
        if not not_withdrawn.update(withdrawn=timezone.now(), withdrawn_by=_user_columns(user)["by_name"]):
            return False
        pairs = [pair for pair in pairs_of(ids, scheme.pk, using) if {pair.a_id, pair.b_id} <= ids]
        _update_pairs_and_clusters(ids, pairs, scheme, using)
    return True


def _update_pairs_and_clusters(
    documents: set[int], pairs: Sequence[Pair], scheme: Scheme, using: str
) -> None:
    """Store again which decision applies to each pair, and recluster the documents."""
    decisions = decision_scopes_for_pairs([(pair.a_id, pair.b_id) for pair in pairs], using)
    pairs_by_decision: defaultdict[int | None, list[int]] = defaultdict(list)
    for pair in pairs:
        decision = decision_in_force(pair, decisions.get((pair.a_id, pair.b_id), ()))
        decision_id = None if decision is None else decision.pk
        if decision_id != pair.decision_id:
            pairs_by_decision[decision_id].append(pair.pk)
    for decision_id, pair_ids in pairs_by_decision.items():
        for chunk in chunked(pair_ids):
            Pair.objects.using(using).filter(pk__in=chunk).update(decision=decision_id)
    recluster(scheme, documents, using)


def _spaces_of(decision: Decision, using: str) -> set[int]:
    """Return the present spaces of the decision's documents."""
    rows = Document.objects.using(using).filter(decisions__decision=decision, space__isnull=False)
    return set(rows.values_list("space", flat=True).distinct())


def _user_columns(user: Any) -> dict[str, str]:
    if user is None:
        return {"by": "", "by_name": ""}
    return {"by": str(user.pk), "by_name": str(user)[:255]}
