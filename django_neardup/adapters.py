"""How a site describes its model: what is compared, who may see it, how it is hidden."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from django.apps import apps
from django.core.exceptions import ImproperlyConfigured
from django.db import models
from django.http import HttpRequest

from .columns import as_key, columns_of, is_whole, value_of
from .conf import Profile, get_profile
from .faults import INTERRUPTS
from .narrowing import keys_in
from .registry import adapter_for, adapters_of, register, registered, unregister
from .text.hashing import digest

if TYPE_CHECKING:  # sites describe their models before ours are loaded
    from .models import Scheme

__all__ = [
    "QUOTES",
    "Adapter",
    "Source",
    "adapter_for",
    "adapters_of",
    "language_of",
    "reads_unnamed",
    "register",
    "registered",
    "unregister",
]

logger = logging.getLogger(__name__)

QUOTES = ("keep", "drop")


@dataclass(frozen=True)
class Source:
    """All that was read of an object for one turn. ``digest`` changes when any of it does (32 hexadecimal digits)."""

    text: str
    contacts: tuple[str, ...]
    identity: tuple[str, ...]
    scope: tuple[str, ...]
    author: str
    compared: bool
    live: bool
    options: tuple[str, ...]

    @property
    def digest(self) -> str:
        parts = [self.text, str(self.compared), str(self.live), self.author]
        for group in (self.contacts, self.identity, self.scope, self.options):
            parts += [str(len(group)), *group]
        return digest(parts).hex()


class Adapter:
    """One registered model. Override what differs; ``fields`` or ``text()`` is all that is needed.

    ``fields``: names whose values, a line each, are the text. ``contacts``: declared contacts, evidence. ``identity``:
    equal values make a duplicate and unequal ones a variant, whatever the texts. ``watch``: fields that mark the post
    when saved alone. ``scope``: posts are compared only where these agree. ``compare_with``: models to compare with,
    besides one's own. ``order``: what numbers objects in the first backfill where the primary key tells no age.
    ``quotes``: "keep" or "drop" quotations. ``excused``: classes of differences that never make a variant (None: price,
    date and contact). ``authors``: the model whose primary keys ``author`` gives, so that staff read names.
    ``publication``: rules of this model's own, in place of the setting's. ``hold_until_checked``: forms save a post
    unpublished, and it is shown when the worker has checked it and the rules let it through.
    """

    fields: ClassVar[Sequence[str]] = ()
    contacts: ClassVar[Sequence[str]] = ()
    identity: ClassVar[Sequence[str]] = ()
    watch: ClassVar[Sequence[str]] = ()
    scope: ClassVar[Sequence[str]] = ()
    compare_with: ClassVar[Sequence[type[models.Model]]] = ()
    profile: ClassVar[str] = "default"
    order: ClassVar[str] = "pk"
    quotes: ClassVar[str] = "keep"
    language: ClassVar[str | None] = None
    min_words: ClassVar[int | None] = None
    excused: ClassVar[Sequence[str] | None] = None
    authors: ClassVar[type[models.Model] | str | None] = None
    publication: ClassVar[Sequence[Mapping[str, Any]] | None] = None
    hold_until_checked: ClassVar[bool] = False

    def __init__(self, model: type[models.Model]) -> None:
        self.model = model

    def text(self, instance: Any) -> str:
        """The text to compare; the values of ``fields``, a line each."""
        return "\n".join(str(value) for value in self._values(instance, self.fields) if value is not None)

    def live(self) -> models.QuerySet[Any]:
        """What may represent a cluster, be counted and be shown."""
        return self.model._default_manager.all()

    def compared(self) -> models.QuerySet[Any]:
        """What is signed and verified; drafts and hidden posts too, where the site wants them."""
        return self.live()

    def visible(self, request: HttpRequest) -> models.QuerySet[Any]:
        """What the visitor of that request may see; every page of ours asks it."""
        return self.live()

    def author(self, instance: Any) -> Any:
        """The author's primary key, or None."""
        return None

    def author_names(self, authors: Collection[str]) -> dict[str, str]:
        """What staff read in place of those keys, which ``author`` gave, as text; the rows of ``authors`` as text."""
        if self.authors is None:
            return {}
        model = apps.get_model(self.authors) if isinstance(self.authors, str) else self.authors
        keys = [key for author in authors if (key := as_key(model, author)) is not None]
        return {str(row.pk): str(row) for row in model._default_manager.filter(pk__in=keys)}

    def visits(self, instance: Any) -> int | None:
        """How often the post was read, where the site knows."""
        return None

    def links(self, instance: Any) -> int | None:
        """How many links lead to the post, where the site knows."""
        return None

    def pinned(self, instance: Any) -> bool:
        """Whether the post is always proposed as the one that others are merged into."""
        return False

    def merged(self, loser: Any, keeper: Any, record: Any) -> None:
        """Tell the author of ``loser`` where it went (``record``: MergeRecord); called after the commit.

        What it raises is logged, and changes nothing."""

    def published(self, instance: Any) -> None:
        """Tell the author that a post which was held is published; called after the commit."""

    def refused(self, instance: Any) -> None:
        """Tell the author that a post which was held will not be published; called after the commit."""

    def request_author(self, request: HttpRequest) -> Any:
        """The visitor as ``author`` would name him, or None."""
        user = getattr(request, "user", None)
        return user.pk if user is not None and user.is_authenticated else None

    def trust(self, request: HttpRequest) -> str:
        """How far the rules of publication trust the visitor: "staff", "member", "guest", or a word of the site's."""
        user = getattr(request, "user", None)
        if user is None or not user.is_authenticated:
            return "guest"
        return "staff" if user.is_staff else "member"

    def appeal_url(self, instance: Any) -> str:
        """Where an author can object to what became of the post; empty where nowhere."""
        return ""

    def renew(self, old: Any, new: Any) -> None:
        """Bring an author's old post up to date from the unsaved new one, and save it."""
        raise ImproperlyConfigured(
            f"{type(self).__name__} does not say how to renew objects: give it a method renew()."
        )

    def url(self, instance: Any) -> str:
        """The post's public address, empty where it has none."""
        get_absolute_url = getattr(instance, "get_absolute_url", None)
        return str(get_absolute_url() or "") if get_absolute_url else ""

    def addresses(self, instance: Any) -> Sequence[str]:
        """Every public address of the post that is to live on after a merge or a deletion; its ``url`` alone."""
        return [url] if (url := self.url(instance)) else []

    def hide(self, instance: Any) -> None:
        """Take the post from publication: staff's commonest action."""
        raise ImproperlyConfigured(
            f"{type(self).__name__} does not say how to hide objects: give it a method hide()."
        )

    def show(self, instance: Any) -> None:
        """Undo ``hide``."""
        raise ImproperlyConfigured(
            f"{type(self).__name__} does not say how to show objects: give it a method show()."
        )

    @property
    def can_hide(self) -> bool:
        return type(self).hide is not Adapter.hide

    @property
    def can_renew(self) -> bool:
        return type(self).renew is not Adapter.renew

    @property
    def tells_authors(self) -> bool:
        return type(self).merged is not Adapter.merged

    @property
    def settings(self) -> Profile:
        return get_profile(self.profile)

    @property
    def least_words(self) -> int:
        return self.settings.min_words if self.min_words is None else self.min_words

    @property
    def watched(self) -> frozenset[str]:
        """Field names and attribute names whose saving marks the document."""
        names = {*self.fields, *self.contacts, *self.identity, *self.scope, *self.watch}
        known = columns_of(self.model)
        names |= {known[name].name for name in names & known.keys()}
        return frozenset(names | {known[name].attname for name in names & known.keys()})

    @property
    def partners(self) -> tuple[type[models.Model], ...]:
        """Every model of this adapter's spaces, this one among them, in the order of their labels.

        ``compare_with`` is symmetric: whoever names this model is a partner too."""
        found = {self.model, *self.compare_with}
        found |= {other for other, adapter in registered().items() if self.model in adapter.compare_with}
        return tuple(sorted(found, key=lambda model: model._meta.label_lower))

    @property
    def partner_adapters(self) -> list[Adapter]:
        """The adapters of the partners, this one among them, each once; a partner without one may have a parent's."""
        found = (adapters_of(partner) for partner in self.partners)
        return list(dict.fromkeys(adapters[0] for adapters in found if adapters))

    def source(self, instance: Any, *, compared: bool, live: bool) -> Source:
        """All that a turn reads of that object."""
        return Source(
            text=self.text(instance),
            contacts=self._texts(instance, self.contacts),
            identity=self._texts(instance, self.identity),
            scope=self._texts(instance, self.scope),
            author="" if (author := self.author(instance)) is None else str(author),
            compared=compared,
            live=live,
            options=(
                self.language or "",
                self.quotes,
                str(self.least_words),
                ",".join(["-"] if self.excused is None else self.excused),
                *(model._meta.label_lower for model in self.partners),
            ),
        )

    def sources(self, keys: Iterable[Any], using: str, strict: bool = False) -> dict[Any, Source]:
        """The sources of those primary keys that still exist, read afresh from that database: one query, and one more
        for each of ``compared`` and ``live`` that leaves objects out.

        An object that cannot be read is logged and left out; where ``strict``, its error is raised."""
        wanted = set(keys)
        rows = self.model._base_manager.using(using).in_bulk(list(wanted))
        found = {key: row for key, row in rows.items() if key in wanted}  # MariaDB finds "abc" for "Abc"
        live = self._present(self.live(), found, using)
        same = type(self).compared is Adapter.compared
        compared = live if same else self._present(self.compared(), found, using)
        sources = {}
        for key, instance in found.items():
            try:
                sources[key] = self.source(instance, compared=key in compared, live=key in live)
            except Exception as error:
                if strict or isinstance(error, tuple(INTERRUPTS)):
                    raise
                logger.warning("%s %s cannot be read: %s", self.model._meta.label, key, type(error).__name__)
        return sources

    def _present(
        self, queryset: models.QuerySet[Any], found: Mapping[Any, Any], using: str
    ) -> Collection[Any]:
        """Keys of those objects, just read, that the queryset holds; it is asked only where it may leave some out."""
        if not found or (queryset.model is self.model and is_whole(queryset)):
            return found
        return keys_in(queryset, found, using)

    @staticmethod
    def _values(instance: Any, names: Sequence[str]) -> Iterator[Any]:
        for name in names:
            yield value_of(instance, name)

    def _texts(self, instance: Any, names: Sequence[str]) -> tuple[str, ...]:
        return tuple("" if value is None else str(value) for value in self._values(instance, names))


def language_of(adapter: Adapter | None, otherwise: Scheme | Profile) -> str:
    """The language that a text is read in: the adapter's own where it names one."""
    return (adapter.language if adapter else None) or otherwise.language


def reads_unnamed(adapter: Adapter) -> bool:
    """Whether fields that the adapter does not name may be read: by a ``text()`` of its own, or by properties."""
    names = {*adapter.fields, *adapter.contacts, *adapter.identity, *adapter.scope}
    return type(adapter).text is not Adapter.text or not names <= columns_of(adapter.model).keys()
