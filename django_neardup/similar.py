"""What the page of an object's cluster shows, read for one visitor."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from django.core.exceptions import ValidationError
from django.core.paginator import Page, Paginator
from django.db.models import Model, Q
from django.http import HttpRequest

from .adapters import Adapter, Source, adapter_for, registered
from .exceptions import NotRegistered
from .grouping import neighbours
from .hints import Hint, hints, shorten
from .models import Document, Pair, Scheme, Verdict
from .pipeline.objects import canonical_id, content_type_of
from .text.plain import plain_text
from .visible import Key, Visible, key_of

PAGE = 20
VARIANTS = 20
"""How many variants are listed."""
VARIANTS_READ = 500
TITLE = 120
EXCERPT = 200
EXCERPT_RAW = 4_000
"""Letters as written that an excerpt is made of: the whole of a long post is never scanned for it."""


@dataclass(frozen=True)
class Entry:
    """A post of the page. ``hints`` say how it differs from the first, ``same`` that it has its text.

    ``compared``: whether that much is known; both texts were compared as they stand now.
    """

    object: Model
    title: str
    url: str
    excerpt: str
    hints: list[Hint] = field(default_factory=list)
    same: bool = False
    compared: bool = False


class Fact(NamedTuple):
    """A pair of the page's object (side ``mine``) with another."""

    pair: Pair
    mine: str

    @property
    def digests(self) -> tuple[str, str]:
        """The source digest of the page's object, and the other's."""
        both = self.pair.digest_a, self.pair.digest_b
        return both if self.mine == "a" else (both[1], both[0])


def find(request: HttpRequest, label: str, object_id: str) -> Model | None:
    """The object, if it is one of ours and this visitor may see it; else None, for whatever reason."""
    adapter = {model._meta.label_lower: adapter for model, adapter in registered().items()}.get(label)
    key = None if adapter is None else _primary_key(adapter.model, object_id)
    if adapter is None or key is None:
        return None
    queryset = adapter.visible(request)
    found: Model | None = queryset.filter(pk=key).first()
    return found if found is not None and canonical_id(found.pk) == object_id else None


class Similar:
    """What this visitor may see of an object's cluster, for a template.

    ``first`` is the object's own entry, ``entries`` those of the other members on this ``page``, ``variants``
    other items of like text, on the first page. ``count`` is that of all members, the object among them.
    """

    def __init__(self, request: HttpRequest, instance: Model, number: str | int = 1) -> None:
        self._adapter = adapter_for(instance)
        self._using = instance._state.db or "default"
        self._key = key_of(instance)
        self._visible = Visible([adapter.visible(request) for adapter in _partners(self._adapter)])
        near = neighbours([self._key], self._visible, self._using)
        others = near.others(self._key)
        self.page: Page[Key] = Paginator(others, PAGE).get_page(number)
        self.count = 1 + len(others)
        self._facts = self._read_facts()
        listed = list(self.page.object_list)
        different = self._variants(set(others)) if self.page.number == 1 else []
        self._found = self._visible.fetch([*listed, *different], self._using) | {self._key: instance}
        self._sources = _sources(self._found, self._using)
        self._read_evidence()
        self.first = self._entry(self._key)
        self.entries = [self._entry(key) for key in listed if key in self._sources]
        self.variants = [self._entry(key) for key in different if self._current(key)]

    def _read_facts(self) -> dict[Key, Fact]:
        """Every pair of the object, best first, without its evidence."""
        model, object_id = self._key
        kinds = {content_type_of(each, self._using).pk: each for each in self._visible.registered}
        kind = content_type_of(model, self._using).pk
        document = Document.objects.using(self._using).filter(content_type=kind, object_id=object_id).first()
        if document is None:
            return {}
        pairs = Pair.objects.using(self._using).filter(
            Q(a=document.pk) | Q(b=document.pk), scheme__state=Scheme.State.ACTIVE
        )
        facts = {}
        for pair in pairs.select_related("a", "b").defer("evidence").order_by("-score", "pk"):
            mine, other = ("a", pair.b) if pair.a_id == document.pk else ("b", pair.a)
            if other.content_type_id in kinds:
                facts[kinds[other.content_type_id], other.object_id] = Fact(pair, mine)
        return facts

    def _variants(self, members: set[Key]) -> list[Key]:
        """Other items of like text that this visitor may see, the likest first."""
        told = [key for key, fact in self._facts.items() if Verdict(fact.pair.verdict) is Verdict.VARIANT]
        held = self._visible.held([key for key in told if key not in members][:VARIANTS_READ], self._using)
        return [key for key in told if key in held][:VARIANTS]

    def _read_evidence(self) -> None:
        shown = {fact.pair.pk: fact.pair for key, fact in self._facts.items() if key in self._sources}
        rows = Pair.objects.using(self._using).filter(pk__in=list(shown))
        for pk, evidence in rows.values_list("pk", "evidence"):
            shown[pk].evidence = evidence

    def _current(self, key: Key) -> bool:
        """Were both texts compared as they stand now? Words of an older one are nobody's business."""
        fact = self._facts.get(key)
        if fact is None or key not in self._sources or self._key not in self._sources:
            return False
        return fact.digests == (self._sources[self._key].digest, self._sources[key].digest)

    def _entry(self, key: Key) -> Entry:
        instance = self._found[key]
        adapter = adapter_for(instance)
        text = self._sources[key].text if key in self._sources else ""
        title = shorten(str(instance), TITLE)
        entry = Entry(instance, title, safe_url(adapter.url(instance)), _excerpt(text, title, adapter.quotes))
        if key == self._key or not self._current(key):
            return entry
        return self._compared(entry, self._facts[key], text)

    def _compared(self, entry: Entry, fact: Fact, text: str) -> Entry:
        mine, other = fact.mine, "b" if fact.mine == "a" else "a"
        evidence = fact.pair.evidence if isinstance(fact.pair.evidence, dict) else {}
        named = hints(evidence, {mine: self._sources[self._key].text, other: text}, mine)
        same = fact.pair.exact and not named
        return Entry(entry.object, entry.title, entry.url, entry.excerpt, named, same, compared=True)


def safe_url(url: str) -> str:
    """The address, if it is relative or of the web; else none: a post's own field may have made it."""
    bare = "".join(letter for letter in url if letter > " ")
    return url if urlsplit(bare).scheme in ("", "http", "https") else ""


def _excerpt(text: str, title: str, quotes: str) -> str:
    plain = " ".join(plain_text(text[:EXCERPT_RAW], quotes=quotes).text.split())
    return shorten(plain.removeprefix(title).lstrip(" .,:;–-"), EXCERPT)


def _sources(objects: Iterable[Key], using: str) -> dict[Key, Source]:
    """All that was read of those objects, as they stand now: three queries a model."""
    of_model: defaultdict[type[Model], list[str]] = defaultdict(list)
    for model, object_id in objects:
        of_model[model].append(object_id)
    return {
        (model, canonical_id(pk)): source
        for model, ids in of_model.items()
        for pk, source in adapter_for(model)
        .sources([model._meta.pk.to_python(each) for each in ids], using)
        .items()
    }


def _partners(adapter: Adapter) -> Sequence[Adapter]:
    """The adapters of all models that the object may stand beside."""
    found = []
    for model in adapter.partners:
        try:
            found.append(adapter_for(model))
        except NotRegistered:
            continue
    return list(dict.fromkeys(found))


def _primary_key(model: type[Model], object_id: str) -> Any:
    """The object id as that model's key; None for what no key can be."""
    try:
        return None if "\0" in object_id else model._meta.pk.to_python(object_id)
    except (ValidationError, ValueError, TypeError):
        return None
