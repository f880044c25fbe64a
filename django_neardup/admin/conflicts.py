"""Who was first: what another person did with a group since somebody looked at it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast
from uuid import UUID

from django.db.models import Q
from django.urls import NoReverseMatch, reverse
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from ..models import Decision, Document, MergeRecord
from ..pipeline.deeds import about
from .asked import Sight
from .outcomes import Outcome
from .words import passed

DEEDS: Mapping[str, str] = {Decision.Kind.DIFFERENT: "leave"}
"""The outcomes that decide, by the kind of their decisions; the others leave records of their own names."""


@dataclass(frozen=True)
class First:
    """A decision or a record: whose, what, when, and where it is shown."""

    by_name: str
    act: str
    when: datetime
    batch: UUID
    row: Decision | MergeRecord

    def is_of(self, user: Any, outcome: Outcome | None = None) -> bool:
        """Whether that person did it, and it is what the outcome does; None for any."""
        row = self.row
        deed = row.action if isinstance(row, MergeRecord) else DEEDS.get(row.kind)
        return row.by == str(user.pk) and (outcome is None or deed == outcome.name)

    def url(self, site: str) -> str:
        """Its page in the admin; empty where it has none."""
        try:
            return reverse(f"{site}:neardup_{self.row._meta.model_name}_change", args=[self.row.pk])
        except NoReverseMatch:
            return ""


def first_of(key: str, seen: Sight | None, using: str) -> First | None:
    """The last that was decided on that group since it was seen; None where nobody decided anything."""
    if seen is None or not seen.documents:
        return None
    decisions = Decision.objects.using(using).filter(
        members__document__in=seen.documents, created__gte=seen.at
    )
    records = MergeRecord.objects.using(using).filter(_of(key, seen.documents, using), created__gte=seen.at)
    decision, record = decisions.order_by("-pk").first(), records.defer("journal").order_by("-pk").first()
    if decision is not None and record is not None and decision.batch == record.batch:
        decision = None  # what was remembered of those that took no part
    rows: list[Any] = sorted((row for row in (decision, record) if row is not None), key=_when)
    return _first(rows[-1]) if rows else None


def words_again(first: First, group: str) -> str:
    """What a person is told who decides once more what she has decided."""
    said = _("%(group)s: you decided this %(time)s ago already: %(act)s.")
    return said % {"group": capfirst(group), "time": passed(first.when), "act": first.act}


def words(first: First | None, outcome: Outcome, group: str) -> str:
    """What became of a wish that came too late."""
    wish = str(outcome.button).rstrip("…")
    if first is None:
        return _("%(group)s has changed since you saw it: your “%(wish)s” was not recorded.") % {
            "group": capfirst(group),
            "wish": wish,
        }
    return _("%(name)s was first on %(group)s, %(time)s ago: %(act)s. Your “%(wish)s” was not recorded.") % {
        "name": first.by_name or _("Somebody"),
        "group": group,
        "time": passed(first.when),
        "act": first.act,
        "wish": wish,
    }


def _of(key: str, documents: Sequence[int], using: str) -> Q:
    """Records of that cluster, or of one of the documents' objects."""
    posts = Document.objects.using(using).filter(pk__in=documents).values_list("content_type", "object_id")
    found = about(posts, using)
    return found | Q(cluster=int(key[1:])) if key[0] == "c" else found


def _when(row: Any) -> datetime:
    return cast(datetime, row.created)


def _first(row: Any) -> First:
    act = row.get_kind_display() if isinstance(row, Decision) else row.get_action_display()
    return First(row.by_name, str(act), row.created, row.batch, row)
