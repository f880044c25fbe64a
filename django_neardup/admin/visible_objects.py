"""The site's objects as a person may see them: by their ModelAdmin, by permissions, or because the site shows
them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.admin.utils import quote
from django.db import models
from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse
from django.utils.html import format_html
from django.utils.http import urlencode
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
    """Return the text as a link. Return the plain text if there is no address."""
    return format_html('<a href="{}">{}</a>', url, text) if url else text


@dataclass(frozen=True)
class DisplayedPost:
    """A document and its object.

    - ``instance`` is None if the object is gone or this person may not see it.
    - ``url`` is the object's page in the admin.
    - ``author`` is the author's name.
    - ``author_url`` is the page of all posts of this author.
    """

    document: Document
    instance: models.Model | None
    title: str
    url: str = ""
    author: str = ""
    author_url: str = ""

    @property
    def number(self) -> str:
        """Return the object's number as people write it."""
        return format_object_number(self.document.object_id)

    @property
    def adapter(self) -> Adapter | None:
        adapters = adapters_of(self.instance) if self.instance is not None else []
        return adapters[0] if adapters else None

    @property
    def markup(self) -> str | None:
        """Return the markup of the post's text, as its adapter declares it."""
        return None if self.adapter is None else self.adapter.markup

    @property
    def visits(self) -> int | None:
        """Return how often the post was read. Return None if the site does not know."""
        adapter = self.adapter
        return None if adapter is None else adapter.view_count(self.instance)

    @property
    def links(self) -> int | None:
        """Return how many links lead to the post. Return None if the site does not know."""
        adapter = self.adapter
        return None if adapter is None else adapter.link_count(self.instance)

    @property
    def public_url(self) -> str:
        """Return the public address: absolute http(s) or a path.

        Return an empty string for any other form.
        """
        adapter = self.adapter
        try:
            url = "" if adapter is None else adapter.url(self.instance)
        except NoReverseMatch:
            return ""
        return url if PUBLIC_URL_PATTERN.match(url) else ""


@dataclass(frozen=True)
class VisibleObjects:
    """The objects of documents, and which of them a person may see, by document id."""

    instances: dict[int, models.Model]
    visible_ids: set[int]

    @property
    def hidden_ids(self) -> set[int]:
        """Return the ids of objects that the person may not see. Objects that are gone hide nothing."""
        return self.instances.keys() - self.visible_ids


def find_visible_objects(
    documents: Iterable[Document], request: HttpRequest, site: Any, using: str
) -> VisibleObjects:
    """Load the objects of the documents, and find out which of them this person may see."""
    instances = objects_of(list(documents), using)
    return VisibleObjects(instances, _visible_ids(instances, request, site, using))


def load_displayed_posts(
    documents: Iterable[Document],
    request: HttpRequest,
    site: Any,
    using: str,
    visible: VisibleObjects | None = None,
) -> dict[int, DisplayedPost]:
    """Return the documents by id, as this person may see them: a fixed number of queries for each model.

    ``visible``: what this request has found out about them already.
    """
    unique = {document.pk: document for document in documents}
    if visible is None:
        visible = find_visible_objects(unique.values(), request, site, using)
    instances = {pk: visible.instances[pk] for pk in unique.keys() & visible.instances.keys()}
    allowed = visible.visible_ids
    visible_instances = {
        document_id: instance for document_id, instance in instances.items() if document_id in allowed
    }
    names = load_author_names(
        [(unique[document_id].author, instance) for document_id, instance in visible_instances.items()]
    )
    return {
        document_id: _build_displayed_post(document, instances, document_id in allowed, site, names)
        for document_id, document in unique.items()
    }


def hidden_document_ids(
    documents: Iterable[Document], request: HttpRequest, site: Any, using: str
) -> set[int]:
    """Return the ids of the documents with objects that this person may not see. Objects that are gone hide nothing."""
    return find_visible_objects(documents, request, site, using).hidden_ids


def _visible_ids(
    instances: Mapping[int, models.Model], request: HttpRequest, site: Any, using: str
) -> set[int]:
    """Return the keys of the objects that this person may see. It takes a few queries for each model."""
    by_model: defaultdict[type[models.Model], list[int]] = defaultdict(list)
    for document_id, instance in instances.items():
        by_model[type(instance)].append(document_id)
    allowed: set[int] = set()
    for model, document_ids in by_model.items():
        visible = visible_pks(
            model, [instances[document_id].pk for document_id in document_ids], request, site, using
        )
        allowed |= {document_id for document_id in document_ids if instances[document_id].pk in visible}
    return allowed


def attach_pair_posts(pairs: Sequence[Any], request: HttpRequest, site: Any, using: str) -> None:
    """Set ``displayed`` on each pair: its two posts, the earlier one first, as this person may see them."""
    displayed = load_displayed_posts(
        [side for pair in pairs for side in (pair.a, pair.b)], request, site, using
    )
    for pair in pairs:
        sides = sorted((pair.a, pair.b), key=lambda document: document.static_order)
        pair.displayed = [displayed[document.pk] for document in sides]


def load_author_names(posts: Iterable[tuple[str, models.Model]]) -> dict[tuple[type[models.Model], str], str]:
    """Return the names of the authors of the posts, by model and author: one query a model."""
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
    """Return the primary keys, among the given ones, of the objects that this person may see."""
    visible = _pks_visible_by_permission(model, pks, request, site, using)
    rest = [pk for pk in pks if pk not in visible]
    if rest and adapters_of(model):
        visible |= existing_pks(adapters_of(model)[0].visible(request), rest, using)
    return visible


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
    # Characters that set the text direction would also turn round the number and the words next to the title.
    title = replace_control_characters(" ".join(str(instance).split()))
    author = replace_control_characters(
        author_names.get((type(instance), document.author)) or document.author
    )
    author_url = queue_list_url(site, "author", document.author) if document.author else ""
    # A link needs visible text.
    title = _truncate_title(title) if has_visible_character(title) else _("without a title")
    return DisplayedPost(document, instance, title, _admin_url(instance, site), author, author_url)


def _truncate_title(title: str) -> str:
    return title if len(title) <= MAX_TITLE_LENGTH else title[: MAX_TITLE_LENGTH - 1] + "…"


def _admin_url(instance: models.Model, site: Any) -> str:
    """Return the object's page in the admin. Return an empty string if it has none."""
    if not site.is_registered(type(instance)):
        return ""
    name = f"{site.name}:{instance._meta.app_label}_{instance._meta.model_name}_change"
    try:
        return reverse(name, args=[quote(instance.pk)])
    except NoReverseMatch:
        return ""


def queue_list_url(site: Any, list_name: str, value: Any) -> str:
    """Return the address of the list of posts with this author or contact.

    ``list_name`` is "author" or "contact". Return an empty string if the admin has no such page.
    """
    try:
        return reverse(f"{site.name}:neardup_queue_{list_name}", args=[value])
    except NoReverseMatch:
        return ""


def pair_list_url(site: str, object_id: str, model: type[models.Model] | None) -> str:
    """Return the address of the list of a post's open pairs. ``site``: the name of the admin site."""
    query = urlencode({"q": object_id, "model": model._meta.label_lower if model is not None else ""})
    return f"{reverse(f'{site}:neardup_pair_changelist')}?{query}"


def model_verbose_name(document: Document) -> str:
    """Return the verbose name of the document's model.

    Return the content type's name if the model is gone.
    """
    model = model_of(document)
    return str(model._meta.verbose_name) if model is not None else str(document.content_type)
