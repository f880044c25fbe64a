"""The search of the queue: posts by number, author, code or contact, and by the search of the site's own
admin.
"""

from __future__ import annotations

from typing import Any

from django.db.models import Q, QuerySet
from django.db.models.functions import Lower
from django.http import HttpRequest

from ...adapters import registered_adapters
from ...models import Contact, Document, Scheme
from ...pipeline import canonical_id
from ...pipeline.content_objects import content_type_of
from ...pipeline.hash_secrets import secret_of
from ...pipeline.source_properties import contact_hash
from ...text.tokens.contacts import canonical_contact

MAX_SEARCH_LENGTH = 200
MAX_OBJECTS_PER_MODEL = 1000
"""Maximum number of objects of a model from the site's own search."""


def search_documents(text: str, request: HttpRequest, site: Any, using: str) -> QuerySet[Any]:
    """Return a queryset of the ids of the documents that match the text."""
    search_text = " ".join(text.replace("\0", " ").split())[:MAX_SEARCH_LENGTH]
    number = search_text.lstrip("№# \N{NO-BREAK SPACE}")
    contacts = Contact.objects.filter(hash__in=_contact_hashes(search_text, using)).values("document")
    # On MariaDB ``iexact`` misses authors in another letter case, so both sides are in lower case.
    condition = (
        Q(object_id=number) | Q(author=search_text) | Q(lowered=search_text.lower()) | Q(pk__in=contacts)
    )
    if any(letter.isdigit() for letter in search_text):
        condition |= Q(fingerprints__codes__icontains=search_text)
    for model_condition in _model_admin_conditions(search_text, request, site, using):
        condition |= model_condition
    return Document.objects.using(using).annotate(lowered=Lower("author")).filter(condition).values("pk")


def _contact_hashes(search_text: str, using: str) -> list[int]:
    """Return the hashes of the contact, one for each active scheme.

    Return an empty list if the text is no contact.
    """
    value = canonical_contact(search_text)
    schemes = Scheme.objects.using(using).filter(state=Scheme.State.ACTIVE)
    secrets = [secret_of(scheme) for scheme in schemes.only("profile", "secret")]
    return [contact_hash(Contact.Kind.CONTACT, value, secret) for secret in secrets] if value else []


def _model_admin_conditions(search_text: str, request: HttpRequest, site: Any, using: str) -> list[Q]:
    """Return, for each model, a condition on the objects that its ModelAdmin finds and this person may see
    there.
    """
    conditions = []
    for model in registered_adapters():
        model_admin = site.get_model_admin(model) if site.is_registered(model) else None
        if model_admin is None or not model_admin.has_view_permission(request):
            continue
        if not model_admin.get_search_fields(request):
            continue
        rows = model_admin.get_queryset(request).using(using)
        rows, _distinct = model_admin.get_search_results(request, rows, search_text)
        content_type = content_type_of(model, using)
        pks = rows.order_by().values_list("pk", flat=True)[:MAX_OBJECTS_PER_MODEL]
        conditions.append(Q(content_type=content_type, object_id__in=[canonical_id(pk) for pk in pks]))
    return conditions
