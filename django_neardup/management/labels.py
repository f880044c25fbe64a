"""What moderators decided, as labelled pairs for the bench."""

from __future__ import annotations

import logging
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

from django.contrib.contenttypes.models import ContentType
from django.core import serializers
from django.db import models

from ..adapters import Adapter, Source, adapter_for, registered
from ..conf import Profile
from ..evaluation.corpora import Corpus, LabelledPair
from ..models import Decision, Document, MergeRecord
from ..pipeline import canonical_id, model_of
from ..pipeline.told import pairs_in
from ..text.document import Document as Text
from ..text.plain import plain_text

logger = logging.getLogger(__name__)

PORTION = 500
SAME, DIFFERENT, MERGED = "decided: the same", "decided: different", "merged"


@dataclass
class Labels:
    """Sets of labelled posts, one for models that are compared with one another; and what could not be used.

    ``gone``: pairs of a post that exists no more; ``changed``: pairs of a post whose text is not what was decided on.
    """

    corpora: dict[str, Corpus] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    gone: int = 0
    changed: int = 0

    def add(self, corpus: str, kind: str, a: tuple[str, str], b: tuple[str, str], profile: Profile) -> None:
        """One label: two posts, each as (name, text)."""
        made = self.corpora.setdefault(corpus, Corpus(corpus))
        made.texts |= dict((a, b))
        made.pairs.append(
            LabelledPair(a[0], b[0], kind, kind != DIFFERENT, changed(a[1], b[1], profile.language))
        )
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


def changed(a: str, b: str, language: str) -> float:
    """Share, 0..1, of the words of the longer text that the other one has not."""
    one, two = (Counter(token.key for token in Text(text, language=language).tokens) for text in (a, b))
    most = max(one.total(), two.total())
    return 1 - (one & two).total() / most if most else 0.0


def name_of(model: type[models.Model], key: Any) -> str:
    """What a post is called in a set."""
    return f"{model._meta.label_lower}:{canonical_id(key)}"


def set_of(adapter: Adapter) -> str:
    """The name of the set of an adapter's posts: its model, and those it is compared with."""
    return "+".join(model._meta.label_lower for model in adapter.partners)


@dataclass(frozen=True)
class _Post:
    adapter: Adapter
    name: str
    source: Source

    @property
    def named(self) -> tuple[str, str]:
        return self.name, text_of(self.adapter, self.source)

    def had(self, digest: str) -> bool:
        """Whether its text was the present one when its source had that digest; it may have been hidden since."""
        states = product((True, False), repeat=2)
        return any(
            replace(self.source, live=live, compared=compared).digest == digest for live, compared in states
        )


def _add_decisions(labels: Labels, profile: Profile, using: str) -> None:
    newest: dict[tuple[int, int], Decision] = {}
    rows = Decision.objects.using(using).filter(space__profile=profile.alias, withdrawn=None)
    for decision in rows.prefetch_related("members").order_by("pk"):
        newest |= dict.fromkeys(pairs_in(decision), decision)
    posts = _posts({document for pair in newest for document in pair}, using)
    for pair, decision in sorted(newest.items()):
        if not posts.keys() >= {*pair}:
            labels.gone += 1
            continue
        digests = {member.document_id: member.digest for member in decision.members.all()}
        if not all(posts[document].had(digests[document]) for document in pair):
            labels.changed += 1
            continue
        kind = SAME if decision.kind == Decision.Kind.SAME else DIFFERENT
        a, b = (posts[document] for document in pair)
        labels.add(set_of(a.adapter), kind, a.named, b.named, profile)


def _posts(documents: Iterable[int], using: str) -> dict[int, _Post]:
    """The posts of those documents as they are now, by document id; without those that are gone."""
    wanted, found = sorted(documents), {}
    for start in range(0, len(wanted), PORTION):
        by_model: defaultdict[type[models.Model], dict[Any, int]] = defaultdict(dict)
        for document in Document.objects.using(using).filter(pk__in=wanted[start : start + PORTION]):
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
            labels.add(set_of(adapter), MERGED, kept.named, post.named, profile)


def _keepers(pairs: Iterable[tuple[_Post, Adapter, str]], using: str) -> dict[tuple[Any, str], _Post]:
    wanted: defaultdict[Adapter, set[str]] = defaultdict(set)
    for _, adapter, key in pairs:
        wanted[adapter].add(key)
    found: dict[tuple[Any, str], _Post] = {}
    for adapter, keys in wanted.items():
        model = adapter.model
        for portion in _portions(sorted(keys)):
            sources = adapter.sources([model._meta.pk.to_python(key) for key in portion], using)
            for key, source in sources.items():
                found[model, canonical_id(key)] = _Post(adapter, name_of(model, key), source)
    return found


def _model(kind: ContentType | None) -> type[models.Model] | None:
    """The model, if it is registered."""
    model = kind.model_class() if kind is not None else None
    return model if model in registered() else None


def _portions(keys: list[str]) -> Iterator[list[str]]:
    return (keys[start : start + PORTION] for start in range(0, len(keys), PORTION))


def _from_journal(record: MergeRecord, adapter: Adapter, using: str) -> _Post | None:
    """The merged post as its journal has it; None, with a line in the log, where that cannot be read."""
    label = adapter.model._meta.label_lower
    rows = [
        row
        for row in record.journal.get("rows", ())
        if row.get("model") == label and str(row.get("pk")) == record.loser_id
    ]
    try:
        (loser,) = serializers.deserialize("python", rows[:1], using=using)
        source = adapter.source(loser.object, compared=True, live=True)
    except Exception as error:
        logger.warning("neardup: merge record %s cannot be read: %s", record.pk, type(error).__name__)
        return None
    return _Post(adapter, f"{label}:{record.loser_id} (merged)", source)
