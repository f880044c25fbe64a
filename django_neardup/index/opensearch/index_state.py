"""The row of an index outside the database: who sends changes to it, and to which indexes.

One process at a time sends. It claims the row, which raises the counter. Its later writes in the database check that
the counter is still the same.
"""

from __future__ import annotations

from secrets import token_hex

from django.db import models, transaction
from django.db.models import F, Q

from ...models import KeyIndexState
from ...models.fields import DatabaseClock

CLAIM_MILLISECONDS = 60_000
"""How long a process has to send a batch. If it takes longer, another process sends it again."""


def state_rows(using: str, name: str) -> models.QuerySet[KeyIndexState]:
    """Return the queryset of the one row."""
    return KeyIndexState.objects.using(using).filter(name=name)


def claim(using: str, name: str, *, is_forced: bool = False) -> KeyIndexState | None:
    """Claim the row, and create it if there is none. Return None if another process has it.

    ``is_forced``: take it from that process, which can then finish nothing.
    """
    rows = state_rows(using, name)
    if not rows.exists():
        KeyIndexState.objects.using(using).bulk_create(
            [KeyIndexState(name=name, owner=token_hex(16))], ignore_conflicts=True
        )
    now = DatabaseClock()
    is_free = Q(leased_until=None) | Q(leased_until__lte=now) | Q(leased_until__gt=now + CLAIM_MILLISECONDS)
    with transaction.atomic(using=using):
        claimed = rows.filter(Q() if is_forced else is_free).update(
            counter=F("counter") + 1, leased_until=now + CLAIM_MILLISECONDS
        )
        return rows.get() if claimed else None


def renew(state: KeyIndexState, using: str) -> bool:
    """Renew a claim. Return False if another process has claimed the row."""
    rows = state_rows(using, state.name).filter(counter=state.counter)
    return bool(rows.update(leased_until=DatabaseClock() + CLAIM_MILLISECONDS))


def release(state: KeyIndexState, using: str, **changes: object) -> bool:
    """End a claim, and set ``changes``. Return False, with nothing written, if another process has the row.

    In a transaction, the row stays locked until its end.
    """
    rows = state_rows(using, state.name).filter(counter=state.counter)
    return bool(rows.update(leased_until=None, **changes))
