"""Taking a decision back, with a line in the histories of its posts."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from ..models import Decision
from ..moderation import admin_log
from ..pipeline import objects_of, withdraw


def withdraw_decision(decision: Decision, user: Any, using: str) -> bool:
    """The decision holds no more; its posts are grouped again. False where somebody had taken it back already."""
    if not withdraw(decision, user, using):
        return False
    documents = [member.document for member in decision.members.select_related("document")]
    touched = list(objects_of(documents, using).values())
    admin_log.write_admin_log(user, touched, _("Decision on near-duplicates taken back."), using)
    return True
