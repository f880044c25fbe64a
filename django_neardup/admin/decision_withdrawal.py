"""Withdrawal of a decision, with an entry in the admin history of its posts."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from ..models import Decision
from ..moderation import admin_log
from ..pipeline import objects_of, withdraw


def withdraw_decision(decision: Decision, user: Any, using: str) -> bool:
    """Withdraw a decision and group its posts again. Return False if it was withdrawn before."""
    if not withdraw(decision, user, using):
        return False
    documents = [member.document for member in decision.members.select_related("document")]
    posts = list(objects_of(documents, using).values())
    admin_log.write_admin_log(user, posts, _("Decision on near-duplicates taken back."), using)
    return True
