"""How a site describes its model: which posts are compared, who may see them, how they are hidden."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar

from django.apps import apps
from django.core.exceptions import ImproperlyConfigured
from django.db import models
from django.http import HttpRequest
from django.utils.timezone import is_naive, make_aware
from django.utils.translation import override

from .conf import Profile, get_profile
from .exceptions import JOB_TIMEOUT_ERRORS
from .querysets import (
    concrete_fields_by_name,
    existing_pks,
    field_value,
    from_database,
    is_unfiltered,
    parse_pk,
    with_translations,
)
from .registry import adapter_for, adapter_of, adapters_of, register, registered_adapters, unregister
from .text.hashing import digest
from .text.heads import head_length
from .text.normalization.markup import MARKUPS

# Not imported at run time: sites register adapters before the models of this app are loaded.
if TYPE_CHECKING:
    from .models import Scheme

__all__ = [
    "MARKUPS",
    "QUOTES",
    "Adapter",
    "Source",
    "adapter_for",
    "adapters_of",
    "language_of",
    "read_sources",
    "reads_unnamed",
    "register",
    "registered_adapters",
    "unregister",
]

logger = logging.getLogger(__name__)

QUOTES = ("keep", "drop")
"""Values of ``Adapter.quotes``."""


@dataclass(frozen=True)
class Source:
    """Everything that the worker reads of an object for one check."""

    text: str
    contacts: tuple[str, ...]
    identity: tuple[str, ...]
    scope: tuple[str, ...]
    author: str
    compared: bool
    live: bool
    options: tuple[str, ...]
    head: int = 0
    """Number of characters at the start of ``text`` that form the declared head."""
    edited_at: int | None = None
    """The time of the last edit of the text, in milliseconds since 1970, if the adapter names it."""

    @property
    def digest(self) -> str:
        """Return 32 hexadecimal digits that change if any property changes."""
        parts = [self.text, str(self.compared), str(self.live), self.author]
        for group in (self.contacts, self.identity, self.scope, self.options):
            # The lengths keep groups apart: a value that moves to the next group changes the digest.
            parts += [str(len(group)), *group]
        # Sources without a head keep the digest they had before heads existed: they are not compared again.
        parts += [str(self.head)] if self.head else []
        return digest(parts).hex()


class Adapter:
    """The description of one registered model. ``fields`` or ``text()`` is required, the rest is optional.

    - ``fields``: names of the fields that make the text, one line each.
    - ``heads``: names of fields that are heads (titles). They must be the first of ``fields``. Another
      content word in the head makes another item.
    - ``contacts``: names of fields with declared contacts. They are evidence.
    - ``identity``: fields that identify the item. Equal values make a duplicate and unequal ones a variant,
      independent of the texts.
    - ``watch``: more fields that mark the post for a check if only they are saved.
    - ``scope``: fields that must agree. Posts with different values are never compared.
    - ``compare_with``: other models to compare with, in addition to the model itself.
    - ``profile``: the alias in NEARDUP.
    - ``order``: the field that numbers objects in the first backfill, if primary keys do not grow with age.
    - ``quotes``: "keep" or "drop" quotations.
    - ``markup``: what pages make of the texts: "html", "bbcode", "markdown" or "none". None means that it is
      not known. Then all three are removed, and what only some pages show is read if it is long enough.
    - ``language``, ``min_words``: override the profile's ``LANGUAGE`` and ``MIN_WORDS``.
    - ``ignored_differences``: classes of differences that never make a variant (None: price, date and
      contact).
    - ``authors``: the model with the primary keys that ``author()`` returns. With it, staff read names.
    - ``relations``: what becomes of the rows that point at a post: "move", "unite", "stay", "ignore" or
      "refuse", by "app.model" or "app.model.field", also with ``*``.
    - ``sum_fields``: names of number fields. A merge adds the values of the merged posts to the keeper's.
    - ``fixed_fields``: fields with values that staff never choose from another post.
    - ``accepts_loss``: models, as "app.model", with rows that an undo need not restore.
    - ``publication``: rules of this model, in place of the setting ``PUBLICATION``.
    - ``hold_until_checked``: if true, forms save a post unpublished. It is shown when the worker has checked
      it and the rules allow it.
    """

    fields: ClassVar[Sequence[str]] = ()
    heads: ClassVar[Sequence[str]] = ()
    contacts: ClassVar[Sequence[str]] = ()
    identity: ClassVar[Sequence[str]] = ()
    watch: ClassVar[Sequence[str]] = ()
    scope: ClassVar[Sequence[str]] = ()
    compare_with: ClassVar[Sequence[type[models.Model]]] = ()
    profile: ClassVar[str] = "default"
    order: ClassVar[str] = "pk"
    quotes: ClassVar[str] = "keep"
    markup: ClassVar[str | None] = None
    language: ClassVar[str | None] = None
    min_words: ClassVar[int | None] = None
    ignored_differences: ClassVar[Sequence[str] | None] = None
    authors: ClassVar[type[models.Model] | str | None] = None
    relations: ClassVar[Mapping[str, str]] = {}
    sum_fields: ClassVar[Sequence[str]] = ()
    fixed_fields: ClassVar[Sequence[str]] = ()
    accepts_loss: ClassVar[Sequence[str]] = ()
    publication: ClassVar[Sequence[Mapping[str, Any]] | None] = None
    hold_until_checked: ClassVar[bool] = False

    def __init__(self, model: type[models.Model]) -> None:
        self.model = model

    def text(self, instance: Any) -> str:
        """Return the text to compare: by default, the values of ``fields``, one line each."""
        return self._lines(instance, self.fields)

    def head(self, instance: Any) -> str:
        """Return the head with which ``text()`` begins: by default, the values of ``heads``, one line each.

        Return an empty string if the post has no head. A text that does not begin with it has no head.
        """
        return self._lines(instance, self.heads)

    def live(self) -> models.QuerySet[Any]:
        """Return the posts that may represent a cluster, be counted and be shown."""
        return self.model._default_manager.all()

    def compared(self) -> models.QuerySet[Any]:
        """Return the posts to compare: by default, the live ones.

        Override it to compare drafts and hidden posts too.
        """
        return self.live()

    def visible(self, request: HttpRequest) -> models.QuerySet[Any]:
        """Return the posts that the visitor may see. Every page of this app uses it."""
        return self.live()

    def visible_spaces(self, user: Any) -> Iterable[Sequence[Any]] | None:
        """Return the scopes whose posts a member of staff may see in the admin. Return None for all, the default.

        A scope is a tuple with the values of ``scope``. Queue, lists, numbers, records and decisions show no
        other scopes. Return [] for a user who may see none. A model without ``scope`` has one scope, ().
        """
        return None

    def author(self, instance: Any) -> Any:
        """Return the author's primary key. Return None if the post has no known author."""
        return None

    def author_names(self, authors: Collection[str]) -> dict[str, str]:
        """Return the names that staff read, by author key.

        ``authors`` holds keys that ``author()`` returned, as text. By default, a name is ``str()`` of a row
        of the model ``authors``. Keys without a row are left out.
        """
        if self.authors is None:
            return {}
        model = apps.get_model(self.authors) if isinstance(self.authors, str) else self.authors
        pks = [pk for key in authors if (pk := parse_pk(model, key)) is not None]
        return {str(row.pk): str(row) for row in model._default_manager.filter(pk__in=pks)}

    def edited_at(self, instance: Any) -> datetime | None:
        """Return when the text of the post was last edited. Return None if it was not, or if that is unknown.

        The first index puts edited posts behind all posts without such a time, in the order of these times. From
        then on the app knows the edits from the saves.
        """
        return None

    def view_count(self, instance: Any) -> int | None:
        """Return the number of views of the post. Return None if the site does not count them."""
        return None

    def link_count(self, instance: Any) -> int | None:
        """Return the number of links to the post. Return None if the site does not count them."""
        return None

    def pinned(self, instance: Any) -> bool:
        """Return whether the post is always proposed as the keeper of a merge."""
        return False

    def merged(self, loser: Any, keeper: Any, record: Any) -> None:
        """Notify the author of ``loser`` about the merge. It is called after the commit.

        ``record`` is a MergeRecord. Errors are logged and have no other effect.
        """

    def published(self, instance: Any) -> None:
        """Notify the author that a held post is published. It is called after the commit."""

    def refused(self, instance: Any) -> None:
        """Notify the author that a held post will not be published. It is called after the commit."""

    def request_author(self, request: HttpRequest) -> Any:
        """Return the visitor's key as ``author()`` would return it.

        Return None if the visitor is not signed in.
        """
        user = getattr(request, "user", None)
        return user.pk if user is not None and user.is_authenticated else None

    def trust(self, request: HttpRequest) -> str:
        """Return the visitor's level of trust for the publication rules.

        It is "staff", "member", "guest", or a level that the site defines.
        """
        user = getattr(request, "user", None)
        if user is None or not user.is_authenticated:
            return "guest"
        return "staff" if user.is_staff else "member"

    def appeal_url(self, instance: Any) -> str:
        """Return the page for an author's objections to a decision.

        Return an empty string if there is no such page.
        """
        return ""

    def renew(self, old: Any, new: Any) -> None:
        """Update an author's old post from the unsaved new one, and save it.

        Raise ImproperlyConfigured if the site does not override it.
        """
        raise ImproperlyConfigured(f"{type(self).__name__} cannot renew posts: define a method renew().")

    def url(self, instance: Any) -> str:
        """Return the post's public address. Return an empty string if it has none."""
        get_absolute_url = getattr(instance, "get_absolute_url", None)
        return str(get_absolute_url() or "") if get_absolute_url else ""

    def addresses(self, instance: Any) -> Sequence[str]:
        """Return every public address of the post that must work after a merge or a deletion.

        By default, that is ``url()``.
        """
        return [url] if (url := self.url(instance)) else []

    def hide(self, instance: Any) -> None:
        """Unpublish the post. This is the most frequent action of staff.

        Raise ImproperlyConfigured if the site does not override it.
        """
        raise ImproperlyConfigured(f"{type(self).__name__} cannot hide posts: define a method hide().")

    def show(self, instance: Any) -> None:
        """Publish a hidden post again.

        Raise ImproperlyConfigured if the site does not override it.
        """
        raise ImproperlyConfigured(f"{type(self).__name__} cannot show posts: define a method show().")

    def before_delete(self, instance: Any) -> None:
        """Prepare the deletion of a post that is merged or deleted, in the same transaction."""

    def after_restore(self, instance: Any) -> None:
        """Complete a post whose rows an undo has just restored, in the same transaction.

        Rebuild what is derived from it: a place in a tree, a search index, caches.
        """

    def recount(self, instances: Sequence[Any]) -> None:
        """Set the counters that depend on the posts, in the same transaction.

        Called after a merge with the keeper and the merged posts, after a deletion with the deleted posts, and
        after an undo with the posts that are there.
        """

    @property
    def declares_heads(self) -> bool:
        """Return whether the site has decided about heads: it wrote ``heads``, also empty, or ``head()``."""
        classes = [base for base in type(self).__mro__ if base is not Adapter]
        return type(self).head is not Adapter.head or any("heads" in vars(base) for base in classes)

    @property
    def can_hide(self) -> bool:
        return type(self).hide is not Adapter.hide

    @property
    def can_renew(self) -> bool:
        return type(self).renew is not Adapter.renew

    @property
    def notifies_authors(self) -> bool:
        return type(self).merged is not Adapter.merged

    @property
    def settings(self) -> Profile:
        """Return the settings of the adapter's profile. The adapter's ``min_words`` wins, if it is set."""
        profile = get_profile(self.profile)
        return profile if self.min_words is None else replace(profile, min_words=self.min_words)

    @property
    def watched(self) -> frozenset[str]:
        """Return names of fields and columns. If one of them is saved, the document is marked."""
        names = {*self.fields, *self.contacts, *self.identity, *self.scope, *self.watch}
        fields = concrete_fields_by_name(self.model)
        names |= {fields[name].name for name in names & fields.keys()}
        # With django-modeltranslation, each language of a field is a column.
        names |= {
            field.name
            for field in fields.values()
            if hasattr(field, "translated_field") and field.translated_field.name in names
        }
        return frozenset(names | {fields[name].attname for name in names & fields.keys()})

    @property
    def partners(self) -> tuple[type[models.Model], ...]:
        """Return every model that is compared with this one, itself included, sorted by label.

        ``compare_with`` is symmetric: a model that names this one is a partner too.
        """
        partner_models = {self.model, *self.compare_with}
        partner_models |= {
            other for other, adapter in registered_adapters().items() if self.model in adapter.compare_with
        }
        return tuple(sorted(partner_models, key=lambda model: model._meta.label_lower))

    @property
    def partner_adapters(self) -> list[Adapter]:
        """Return the adapters of the partners, this one included, without repetitions.

        A partner without an adapter may have one of a parent model.
        """
        adapter_lists = (adapters_of(partner) for partner in self.partners)
        return list(dict.fromkeys(adapter_list[0] for adapter_list in adapter_lists if adapter_list))

    def source(self, instance: Any, *, compared: bool, live: bool) -> Source:
        """Read an object: everything that one check needs.

        The adapter's language is active meanwhile: fields of a translated model give the text of a language.
        """
        with _object_language(instance, self.language_code), override(self.language_code):
            return self._source(instance, compared=compared, live=live)

    @property
    def language_code(self) -> str:
        """Return the language of the texts as Django writes it: "zh-hans"."""
        return str(self.language or self.settings.language).replace("_", "-").lower()

    def _source(self, instance: Any, *, compared: bool, live: bool) -> Source:
        text = self.text(instance)
        return Source(
            text=text,
            contacts=self._texts(instance, self.contacts),
            identity=self._texts(instance, self.identity),
            scope=self._texts(instance, self.scope),
            author="" if (author := self.author(instance)) is None else str(author),
            compared=compared,
            live=live,
            options=(
                self.language or "",
                self.quotes,
                str(self.settings.min_words),
                ",".join(["-"] if self.ignored_differences is None else self.ignored_differences),
                *(model._meta.label_lower for model in self.partners),
                # Posts of a site that declares no markup keep the digest they had before it could.
                *([f"markup={self.markup}"] if self.markup is not None else []),
            ),
            head=head_length(text, self.head(instance)),
            edited_at=_milliseconds(self.edited_at(instance)),
        )

    def sources(self, keys: Iterable[Any], using: str, strict: bool = False) -> dict[Any, Source]:
        """Read the objects of primary keys from a database. Keys without an object are left out.

        This takes one query. ``live()`` and ``compared()`` take one more each, if they leave objects out.

        An object that cannot be read is logged and left out. If ``strict``, raise its error instead. Always
        raise the error of a job's timeout.
        """
        wanted_keys = set(keys)
        # Some translated models choose their language when they are loaded.
        with override(self.language_code):
            queryset = with_translations(from_database(self.model._base_manager.using(using)))
            rows = queryset.in_bulk(list(wanted_keys))
        # MariaDB compares text keys without case: it returns "abc" for "Abc".
        instances = {key: row for key, row in rows.items() if key in wanted_keys}
        live = self._present(self.live(), instances, using)
        compares_live = type(self).compared is Adapter.compared
        compared = live if compares_live else self._present(self.compared(), instances, using)
        sources = {}
        for key, instance in instances.items():
            try:
                sources[key] = self.source(instance, compared=key in compared, live=key in live)
            except Exception as error:
                # Code of the site runs here. A timeout ends the job; it says nothing about the object.
                if strict or isinstance(error, tuple(JOB_TIMEOUT_ERRORS)):
                    raise
                logger.warning(
                    "neardup: %s %s cannot be read: %s", self.model._meta.label, key, type(error).__name__
                )
        return sources

    def _present(
        self, queryset: models.QuerySet[Any], found: Mapping[Any, Any], using: str
    ) -> Collection[Any]:
        """Return the keys of loaded objects that are in the queryset.

        An unfiltered queryset holds them all and is not queried.
        """
        if not found or (queryset.model is self.model and is_unfiltered(queryset)):
            return found
        return existing_pks(queryset, found, using)

    def _lines(self, instance: Any, names: Sequence[str]) -> str:
        return "\n".join(str(value) for value in self._values(instance, names) if value is not None)

    @staticmethod
    def _values(instance: Any, names: Sequence[str]) -> Iterator[Any]:
        for name in names:
            yield field_value(instance, name)

    def _texts(self, instance: Any, names: Sequence[str]) -> tuple[str, ...]:
        return tuple("" if value is None else str(value) for value in self._values(instance, names))


@contextmanager
def _object_language(instance: Any, code: str) -> Iterator[None]:
    """Set the language of an object that has its own, as the objects of django-parler have."""
    if not (hasattr(instance, "get_current_language") and hasattr(instance, "set_current_language")):
        yield
        return
    language_before = instance.get_current_language()
    instance.set_current_language(code)
    try:
        yield
    finally:
        instance.set_current_language(language_before)


def _milliseconds(time: datetime | None) -> int | None:
    """Return the time in milliseconds since 1970. A naive time is one of the current time zone."""
    if time is None:
        return None
    return int((make_aware(time) if is_naive(time) else time).timestamp() * 1000)


def language_of(adapter: Adapter | None, otherwise: Scheme | Profile) -> str:
    """Return the language of the texts.

    It is the adapter's, if it names one; otherwise it is the one of the scheme or profile.
    """
    return (adapter.language if adapter else None) or otherwise.language


def scope_of(adapter: Adapter, instance: Any) -> tuple[str, ...]:
    """Return the values of the adapter's ``scope``, as ``Adapter.source`` reads them."""
    with _object_language(instance, adapter.language_code), override(adapter.language_code):
        return adapter._texts(instance, adapter.scope)


def reads_unnamed(adapter: Adapter) -> bool:
    """Return whether the adapter may read fields that it does not name.

    It may if it has its own ``text()`` or ``head()``, or if it names properties.
    """
    names = {*adapter.fields, *adapter.contacts, *adapter.identity, *adapter.scope}
    return (
        type(adapter).text is not Adapter.text
        or type(adapter).head is not Adapter.head
        or not names <= concrete_fields_by_name(adapter.model).keys()
    )


def read_sources(
    post_ids: Iterable[tuple[int, str]], using: str, strict: bool = False
) -> dict[tuple[int, str], Source]:
    """Return the sources of the objects that exist, by content type id and canonical id.

    An object that cannot be read is logged and left out. If ``strict``, raise its error instead.
    """
    ids_by_content_type: dict[int, dict[Any, str]] = {}
    for content_type_id, object_id in post_ids:
        adapter = adapter_of(content_type_id, using)
        if adapter is not None and (key := parse_pk(adapter.model, object_id)) is not None:
            ids_by_content_type.setdefault(content_type_id, {})[key] = object_id
    sources_by_post: dict[tuple[int, str], Source] = {}
    for content_type_id, object_ids in ids_by_content_type.items():
        adapter = adapter_of(content_type_id, using)
        assert adapter is not None
        sources = adapter.sources(object_ids, using, strict)
        sources_by_post |= {(content_type_id, object_ids[key]): source for key, source in sources.items()}
    return sources_by_post
