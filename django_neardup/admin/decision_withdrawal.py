"""Withdrawal of a decision, with an entry in the admin history of its posts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext as _

from ..models import Decision, DecisionMember
from ..moderation import admin_log
from ..pipeline import objects_of, withdraw
from .visible_objects import hidden_document_ids


def unseen_decision_ids(
    decisions: Iterable[Decision], request: HttpRequest, site: Any, using: str
) -> set[int]:
    """Return the ids of decisions on posts that this person may not see. Posts that are gone count as seen."""
    rows = DecisionMember.objects.using(using).filter(decision__in=list(decisions))
    members = list(rows.select_related("document"))
    hidden = hidden_document_ids([member.document for member in members], request, site, using)
    return {member.decision_id for member in members if member.document_id in hidden}


def withdraw_decision(decision: Decision, user: Any, using: str) -> bool:
    """Withdraw a decision and group its posts again. Return False if it was withdrawn before."""
    if not withdraw(decision, user, using):
        return False
    documents = [member.document for member in decision.members.select_related("document")]
    posts = list(objects_of(documents, using).values())
    admin_log.write_admin_log(user, posts, _("Decision on near-duplicates withdrawn."), using)
    return True
