"""What moderators decided, as labelled pairs for the bench."""

from __future__ import annotations

import logging
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import product
from typing import Any

from django.contrib.contenttypes.models import ContentType
from django.core import serializers
from django.db import models

from ..adapters import Adapter, Source, adapter_for, language_of, registered
from ..conf import Profile
from ..evaluation.corpora import Corpus, LabelledPair
from ..merging.relations import ancestors
from ..merging.stored import own_fields
from ..models import Decision, Document, MergeRecord
from ..pipeline import canonical_id, model_of
from ..pipeline.told import Told
from ..portions import PORTION, portions
from ..text.document import Document as Text
from ..text.plain import plain_text

logger = logging.getLogger(__name__)

READ = 2048
"""Texts whose words are remembered, so that each of a large group is read once."""
SAME, DIFFERENT, MERGED = "decided: the same", "decided: different", "merged"


@dataclass(frozen=True)
class _Post:
    adapter: Adapter
    name: str
    source: Source

    @cached_property
    def set_name(self) -> str:
        return set_of(self.adapter)

    @cached_property
    def text(self) -> str:
        return text_of(self.adapter, self.source)

    @property
    def words(self) -> Counter[str]:
        return words_of(self.text, language_of(self.adapter, self.adapter.settings))

    @cached_property
    def digests(self) -> frozenset[str]:
        """That of its source, and those it had if it was hidden since, or shown."""
        states = product((True, False), repeat=2)
        return frozenset(
            replace(self.source, live=live, compared=compared).digest for live, compared in states
        )


@dataclass
class Labels:
    """Sets of labelled posts, one for models that are compared with one another; and what could not be used.

    ``gone``: pairs of a post that exists no more; ``changed``: pairs of a post whose source is not what was decided on.
    """

    corpora: dict[str, Corpus] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    gone: int = 0
    changed: int = 0

    def add(self, kind: str, a: _Post, b: _Post) -> None:
        """One label: two posts; the set is that of the first."""
        if a.set_name not in self.corpora:
            self.corpora[a.set_name] = Corpus(a.set_name, language=common_language(a.adapter))
        made = self.corpora[a.set_name]
        made.texts |= {a.name: a.text, b.name: b.text}
        made.pairs.append(LabelledPair(a.name, b.name, kind, kind != DIFFERENT, changed(a.words, b.words)))
        self.counts[kind] += 1


def labels_of(profile: Profile, using: str) -> Labels:
    """All decisions in force and all merges not undone, on posts of that profile."""
    labels = Labels()
    _add_decisions(labels, profile, using)
    _add_merges(labels, profile, using)
    return labels


def text_of(adapter: Adapter, source: Source) -> str:
    """The text as it is compared: without quotations where the adapter drops them."""
    return source.text if adapter.quotes == "keep" else plain_text(source.text, adapter.quotes).text


@lru_cache(maxsize=READ)
def words_of(text: str, language: str) -> Counter[str]:
    """How often each word stands in a text."""
    return Counter(token.key for token in Text(text, language=language).tokens)


def changed(a: Counter[str], b: Counter[str]) -> float:
    """Share, 0..1, of the words of the longer text that the other one has not."""
    most = max(a.total(), b.total())
    return 1 - (a & b).total() / most if most else 0.0


def common_language(adapter: Adapter) -> str:
    """The language of a set: that of all its adapters, or else the profile's."""
    found = {language_of(each, each.settings) for each in adapter.partner_adapters}
    return found.pop() if len(found) == 1 else adapter.settings.language


def name_of(model: type[models.Model], key: Any) -> str:
    """What a post is called in a set."""
    return f"{model._meta.label_lower}:{canonical_id(key)}"


def set_of(adapter: Adapter) -> str:
    """The name of the set of an adapter's posts: its model, and those it is compared with."""
    return "+".join(model._meta.label_lower for model in adapter.partners)


def _add_decisions(labels: Labels, profile: Profile, using: str) -> None:
    newest: dict[tuple[int, int], Told] = {}
    rows = Decision.objects.using(using).filter(space__profile=profile.alias, withdrawn=None)
    for decision in rows.prefetch_related("members").order_by("pk").iterator(chunk_size=PORTION):
        told = Told.of(decision)
        newest |= dict.fromkeys(told.pairs(), told)
    posts = _posts({document for pair in newest for document in pair}, using)
    for pair, told in sorted(newest.items()):
        if not posts.keys() >= {*pair}:
            labels.gone += 1
        elif not all(told.digests[document] in posts[document].digests for document in pair):
            labels.changed += 1
        else:
            kind = SAME if told.decision.kind == Decision.Kind.SAME else DIFFERENT
            labels.add(kind, *(posts[document] for document in pair))


def _posts(documents: Iterable[int], using: str) -> dict[int, _Post]:
    """The posts of those documents as they are now, by document id; without those that are gone."""
    wanted, found = sorted(documents), {}
    for some in portions(wanted):
        by_model: defaultdict[type[models.Model], dict[Any, int]] = defaultdict(dict)
        for document in Document.objects.using(using).filter(pk__in=some):
            model = model_of(document)
            if model in registered():
                assert model is not None
                by_model[model][model._meta.pk.to_python(document.object_id)] = document.pk
        for model, keys in by_model.items():
            adapter = adapter_for(model)
            for key, source in adapter.sources(keys, using).items():
                found[keys[key]] = _Post(adapter, name_of(model, key), source)
    return found


def _add_merges(labels: Labels, profile: Profile, using: str) -> None:
    """A merged post's text is in the journal; its keeper's is as it is now, or as it was when it was merged itself."""
    records = MergeRecord.objects.using(using).filter(action=MergeRecord.Action.MERGE, undone=None)
    merged: dict[tuple[Any, str], _Post] = {}
    pairs = []
    for record in records.exclude(keeper_type=None).order_by("-pk").iterator(chunk_size=PORTION):
        model, keeper = (_model(kind) for kind in (record.loser_type, record.keeper_type))
        if model is None or keeper is None or adapter_for(model).profile != profile.alias:
            continue
        adapter = adapter_for(model)
        post = _from_journal(record, adapter, using)
        if post is None:
            labels.gone += 1
            continue
        merged[model, record.loser_id] = post
        pairs.append((post, adapter_for(keeper), record.keeper_id))
    present = _keepers(pairs, using)
    for post, adapter, key in pairs:
        kept = present.get((adapter.model, key)) or merged.get((adapter.model, key))
        if kept is None:
            labels.gone += 1
        else:
            labels.add(MERGED, kept, post)


def _keepers(pairs: Iterable[tuple[_Post, Adapter, str]], using: str) -> dict[tuple[Any, str], _Post]:
    wanted: defaultdict[Adapter, set[str]] = defaultdict(set)
    for _, adapter, key in pairs:
        wanted[adapter].add(key)
    found: dict[tuple[Any, str], _Post] = {}
    for adapter, keys in wanted.items():
        model = adapter.model
        for portion in portions(sorted(keys)):
            sources = adapter.sources([model._meta.pk.to_python(key) for key in portion], using)
            for key, source in sources.items():
                found[model, canonical_id(key)] = _Post(adapter, name_of(model, key), source)
    return found


def _model(kind: ContentType | None) -> type[models.Model] | None:
    """The model, if it is registered."""
    model = kind.model_class() if kind is not None else None
    return model if model in registered() else None


def _from_journal(record: MergeRecord, adapter: Adapter, using: str) -> _Post | None:
    """The merged post as its journal has it; None, with a line in the log, where that cannot be read."""
    try:
        source = adapter.source(_merged(record, adapter.model, using), compared=True, live=True)
    except Exception as error:
        logger.warning("neardup: merge record %s cannot be read: %s", record.pk, type(error).__name__)
        return None
    return _Post(adapter, f"{adapter.model._meta.label_lower}:{record.loser_id} (merged)", source)


def _merged(record: MergeRecord, model: type[models.Model], using: str) -> models.Model:
    """The post of a journal: its row in the model's own table, with the columns of its rows in the parents'."""
    labels = {each._meta.label_lower for each in ancestors(model)}
    rows = [row for row in record.journal["rows"][: record.journal.get("own", 1)] if row["model"] in labels]
    found = {type(row.object): row.object for row in serializers.deserialize("python", rows, using=using)}
    post = found[model]
    for parent in ancestors(model) - {model}:
        for column in (*parent._meta.pk_fields, *own_fields(parent)):
            setattr(post, column.attname, getattr(found[parent], column.attname))
    return post
