"""Objects as a person may see them: by their ModelAdmin, by permissions, or because the site shows them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.contrib.admin.utils import quote
from django.db import models
from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _

from ..adapters import Adapter, adapters_of
from ..models import Document
from ..moderation.permissions import can_view
from ..pipeline import model_of, objects_of
from ..querysets import existing_pks
from ..reports.segments import replace_control_characters
from ..search.display_titles import has_visible_character
from .text_format import format_object_number

MAX_TITLE_LENGTH = 120
PUBLIC_URL_PATTERN = re.compile(r"https?://|/(?!/)", re.IGNORECASE)


def link_html(url: str, text: str) -> str:
    """The words, as a link where there is an address."""
    return format_html('<a href="{}">{}</a>', url, text) if url else text


@dataclass(frozen=True)
class DisplayedPost:
    """A document and its object; ``instance`` is None where it is gone or not for this person. ``url`` is the object's
    page in the admin, ``author`` its author's name, ``author_url`` the page of all posts of that author."""

    document: Document
    instance: models.Model | None
    title: str
    url: str = ""
    author: str = ""
    author_url: str = ""

    @property
    def number(self) -> str:
        """The object's number as people write it."""
        return format_object_number(self.document.object_id)

    @property
    def adapter(self) -> Adapter | None:
        found = adapters_of(self.instance) if self.instance is not None else []
        return found[0] if found else None

    @property
    def visits(self) -> int | None:
        """How often it was read, where the site knows."""
        adapter = self.adapter
        return None if adapter is None else adapter.view_count(self.instance)

    @property
    def links(self) -> int | None:
        """How many links lead to it, where the site knows."""
        adapter = self.adapter
        return None if adapter is None else adapter.link_count(self.instance)

    @property
    def public_url(self) -> str:
        """Its public address; empty where it has none that a browser may follow."""
        adapter = self.adapter
        try:
            url = "" if adapter is None else adapter.url(self.instance)
        except NoReverseMatch:
            return ""
        return url if PUBLIC_URL_PATTERN.match(url) else ""


def load_displayed_posts(
    documents: Iterable[Document], request: HttpRequest, site: Any, using: str
) -> dict[int, DisplayedPost]:
    """Those documents by id, as that person may see them: a fixed number of queries for each model."""
    unique = {document.pk: document for document in documents}
    instances = objects_of(unique.values(), using)
    by_model: defaultdict[type[models.Model], list[int]] = defaultdict(list)
    for key, instance in instances.items():
        by_model[type(instance)].append(key)
    allowed: set[int] = set()
    for model, keys in by_model.items():
        seen = visible_pks(model, [instances[key].pk for key in keys], request, site, using)
        allowed |= {key for key in keys if instances[key].pk in seen}
    seen_instances = {key: instance for key, instance in instances.items() if key in allowed}
    names = load_author_names([(unique[key].author, instance) for key, instance in seen_instances.items()])
    return {
        key: _build_displayed_post(document, instances, key in allowed, site, names)
        for key, document in unique.items()
    }


def load_author_names(posts: Iterable[tuple[str, models.Model]]) -> dict[tuple[type[models.Model], str], str]:
    """The names of the authors of those posts, by model and author; a query a model."""
    by_model: defaultdict[type[models.Model], set[str]] = defaultdict(set)
    for author, instance in posts:
        if author:
            by_model[type(instance)].add(author)
    return {
        (model, author): name
        for model, authors in by_model.items()
        for adapter in adapters_of(model)[:1]
        for author, name in adapter.author_names(authors).items()
    }


def visible_pks(
    model: type[models.Model], pks: list[Any], request: HttpRequest, site: Any, using: str
) -> set[Any]:
    """The primary keys, among those, of objects that this person may see."""
    found = _pks_visible_by_permission(model, pks, request, site, using)
    rest = [key for key in pks if key not in found]
    if rest and adapters_of(model):
        found |= existing_pks(adapters_of(model)[0].visible(request), rest, using)
    return found


def _pks_visible_by_permission(
    model: type[models.Model], pks: list[Any], request: HttpRequest, site: Any, using: str
) -> set[Any]:
    if site.is_registered(model) and can_view(model, request, site):
        model_admin = site.get_model_admin(model)
        listed = model_admin.get_queryset(request).using(using).filter(pk__in=pks)
        return {row.pk for row in listed if model_admin.has_view_permission(request, row)}
    return set(pks) if can_view(model, request, site) else set()


def _build_displayed_post(
    document: Document,
    instances: dict[int, models.Model],
    is_allowed: bool,
    site: Any,
    author_names: dict[tuple[type[models.Model], str], str],
) -> DisplayedPost:
    instance = instances.get(document.pk)
    if instance is None:
        return DisplayedPost(document, None, _("deleted"))
    if not is_allowed:
        return DisplayedPost(document, None, _("no access"))
    title = replace_control_characters(" ".join(str(instance).split()))
    author = replace_control_characters(
        author_names.get((type(instance), document.author)) or document.author
    )
    by = queue_list_url(site, "author", document.author) if document.author else ""
    title = _truncate_title(title) if has_visible_character(title) else _("without a title")
    return DisplayedPost(document, instance, title, _admin_url(instance, site), author, by)


def _truncate_title(title: str) -> str:
    return title if len(title) <= MAX_TITLE_LENGTH else title[: MAX_TITLE_LENGTH - 1] + "…"


def _admin_url(instance: models.Model, site: Any) -> str:
    """The object's own page in the admin, where it has one."""
    if not site.is_registered(type(instance)):
        return ""
    name = f"{site.name}:{instance._meta.app_label}_{instance._meta.model_name}_change"
    try:
        return reverse(name, args=[quote(instance.pk)])
    except NoReverseMatch:
        return ""


def queue_list_url(site: Any, list_name: str, value: Any) -> str:
    """All posts of that "author" or with that "contact"; empty where the admin has no such page."""
    try:
        return reverse(f"{site.name}:neardup_queue_{list_name}", args=[value])
    except NoReverseMatch:
        return ""


def model_verbose_name(document: Document) -> str:
    """What the document's object is called."""
    model = model_of(document)
    return str(model._meta.verbose_name) if model is not None else str(document.content_type)
