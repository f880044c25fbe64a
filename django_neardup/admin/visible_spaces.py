"""The spaces whose posts a member of staff may see: on a site of several tenants, those of their own."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from ..adapters import Adapter
from ..models import Space
from ..registry import registered_adapters

_CACHE_NAME = "_neardup_visible_spaces"


def in_visible_spaces(rows: QuerySet[Any], request: HttpRequest, path: str = "space") -> QuerySet[Any]:
    """Return the rows of spaces that this person may see. ``path``: the lookup from a row to its space.

    Who may not see all spaces sees no row without a space.
    """
    condition = visible_spaces(request)
    if condition is None:
        return rows
    return rows.filter(**{f"{path}__in": Space.objects.using(rows.db).filter(condition).values("pk")})


def visible_spaces(request: HttpRequest) -> Q | None:
    """Return the condition for the spaces that this person may see. Return None if these are all."""
    if not hasattr(request, _CACHE_NAME):
        setattr(request, _CACHE_NAME, _visible_spaces(request.user))
    condition: Q | None = getattr(request, _CACHE_NAME)
    return condition


def _visible_spaces(user: Any) -> Q | None:
    scopes_by_adapter = {
        adapter: _scopes_of(adapter, user) for adapter in dict.fromkeys(registered_adapters().values())
    }
    if all(scopes is None for scopes in scopes_by_adapter.values()):
        return None
    condition = Q(pk__in=[])
    for adapter in scopes_by_adapter:
        # One space holds posts of all partners.
        partners = {partner: scopes_by_adapter.get(partner) for partner in adapter.partner_adapters}
        restricted = [scopes for scopes in partners.values() if scopes is not None]
        labels = " ".join(model._meta.label_lower for model in adapter.partners)
        of_partners = Q(profile=adapter.profile, labels=labels)
        condition |= of_partners & Q(scope__in=set.intersection(*restricted)) if restricted else of_partners
    return condition


def _scopes_of(adapter: Adapter, user: Any) -> set[str] | None:
    """Return the scopes as ``Space.scope`` holds them. Return None for all.

    Raise ImproperlyConfigured if a scope has another number of values than the adapter's ``scope``.
    """
    scopes: Iterable[Iterable[Any]] | None = adapter.visible_spaces(user)
    if scopes is None:
        return None
    stored = set()
    for scope in scopes:
        values = ["" if value is None else str(value) for value in scope] if _is_list(scope) else []
        if not _is_list(scope) or len(values) != len(adapter.scope):
            raise ImproperlyConfigured(
                f"{type(adapter).__name__}.visible_spaces() returned {scope!r}: return tuples with the values of "
                f"scope, which are {len(adapter.scope)}."
            )
        stored.add(json.dumps(values, ensure_ascii=False) if values else "")
    return stored


def _is_list(scope: Any) -> bool:
    return isinstance(scope, (tuple, list))
