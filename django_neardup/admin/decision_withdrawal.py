"""Withdrawal of a decision, with an entry in the admin history of its posts."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext as _

from ..models import Decision, DecisionMember
from ..moderation import admin_log
from ..pipeline import objects_of, withdraw
from .visible_objects import hidden_document_ids
from .visible_spaces import in_visible_spaces


def unseen_decision_ids(
    decisions: Iterable[Decision], request: HttpRequest, site: Any, using: str
) -> set[int]:
    """Return the ids of decisions on posts that this person may not see. Posts that are gone count as seen."""
    rows = DecisionMember.objects.using(using).filter(decision__in=list(decisions))
    members = list(rows.select_related("document"))
    hidden = hidden_document_ids([member.document for member in members], request, site, using)
    return {member.decision_id for member in members if member.document_id in hidden}


def brought_along_ids(
    decisions: Collection[Decision], request: HttpRequest, site: Any, using: str
) -> set[int]:
    """Return the ids of decisions on posts that have all moved to spaces which this person may see.

    Such a decision stays in force. Who may not see its own space reads no name and no note, and may withdraw it.
    """
    members = DecisionMember.objects.using(using).filter(decision__in=[each.pk for each in decisions])
    visible = in_visible_spaces(members, request, "document__space")
    seen = {*visible.values_list("decision", flat=True)}
    partly = {*members.exclude(pk__in=visible.values("pk")).values_list("decision", flat=True)}
    brought = [decision for decision in decisions if decision.pk in seen - partly]
    return {decision.pk for decision in brought} - unseen_decision_ids(brought, request, site, using)


def withdraw_decision(decision: Decision, user: Any, using: str, *, is_named: bool = True) -> bool:
    """Withdraw a decision and group its posts again. Return False if it was withdrawn before.

    ``is_named`` False: only the admin's log of the posts names the person, and the decision does not. Its readers
    may be staff of another tenant.
    """
    if not withdraw(decision, user if is_named else None, using):
        return False
    documents = [member.document for member in decision.members.select_related("document")]
    posts = list(objects_of(documents, using).values())
    admin_log.write_admin_log(user, posts, _("Decision on near-duplicates withdrawn."), using)
    return True
