"""What the search box of the queue finds: posts by number, author, code, contact, and by the words that the site's own
admin looks through."""

from __future__ import annotations

from typing import Any

from django.db.models import Q, QuerySet
from django.db.models.functions import Lower
from django.http import HttpRequest

from ...adapters import registered_adapters
from ...models import Contact, Document, Scheme
from ...pipeline import canonical_id
from ...pipeline.content_objects import content_type_of
from ...pipeline.source_properties import contact_hash
from ...text.tokens.contacts import canonical_contact

MAX_SEARCH_LENGTH = 200
MAX_OBJECTS_PER_MODEL = 1000
"""Objects of a model that the site's own search may add."""


def search_documents(text: str, request: HttpRequest, site: Any, using: str) -> QuerySet[Any]:
    """The ids of the documents that answer to that text."""
    asked = " ".join(text.replace("\0", " ").split())[:MAX_SEARCH_LENGTH]
    number = asked.lstrip("№# \N{NO-BREAK SPACE}")
    contacts = Contact.objects.filter(hash__in=_contact_hashes(asked, using)).values("document")
    found = Q(object_id=number) | Q(author=asked) | Q(lowered=asked.lower()) | Q(pk__in=contacts)
    if any(letter.isdigit() for letter in asked):
        found |= Q(fingerprints__codes__icontains=asked)
    for by_words in _model_admin_conditions(asked, request, site, using):
        found |= by_words
    return Document.objects.using(using).annotate(lowered=Lower("author")).filter(found).values("pk")


def _contact_hashes(search_text: str, using: str) -> list[int]:
    """The hashes under which that contact would be stored, one for each active scheme."""
    value = canonical_contact(search_text)
    schemes = Scheme.objects.using(using).filter(state=Scheme.State.ACTIVE)
    secrets = [bytes.fromhex(secret) for secret in schemes.values_list("secret", flat=True)]
    return [contact_hash(Contact.Kind.CONTACT, value, secret) for secret in secrets] if value else []


def _model_admin_conditions(search_text: str, request: HttpRequest, site: Any, using: str) -> list[Q]:
    """What each model's own admin finds, among what this person may see there."""
    found = []
    for model in registered_adapters():
        model_admin = site.get_model_admin(model) if site.is_registered(model) else None
        if model_admin is None or not model_admin.has_view_permission(request):
            continue
        if not model_admin.get_search_fields(request):
            continue
        rows = model_admin.get_queryset(request).using(using)
        rows, _distinct = model_admin.get_search_results(request, rows, search_text)
        kind = content_type_of(model, using)
        keys = rows.order_by().values_list("pk", flat=True)[:MAX_OBJECTS_PER_MODEL]
        found.append(Q(content_type=kind, object_id__in=[canonical_id(key) for key in keys]))
    return found
