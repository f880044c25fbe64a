"""Moderators' decisions as labelled pairs for the bench."""

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

from ..adapters import Adapter, Source, adapter_for, language_of, registered_adapters
from ..conf import Profile
from ..db.chunks import CHUNK_SIZE, chunked
from ..evaluation.corpora import Corpus, LabelledPair
from ..models import Decision, Document, MergeRecord
from ..moderation.journal.serialization import own_table_fields
from ..moderation.relations import model_and_parents
from ..pipeline import canonical_id, model_of
from ..pipeline.decision_lookup import DecisionScope
from ..text.canonical_text import CanonicalText as Text
from ..text.heads import head_length
from ..text.normalization.plain_text import plain_text

logger = logging.getLogger(__name__)

MAX_CACHED_TEXTS = 2048
"""Texts with cached words, so that each post of a large group is read once."""
SAME_KIND, DIFFERENT_KIND, MERGED_KIND = "decided: the same", "decided: different", "merged"


@dataclass(frozen=True)
class _LabelledPost:
    adapter: Adapter
    name: str
    source: Source

    @cached_property
    def set_name(self) -> str:
        return corpus_name(self.adapter)

    @cached_property
    def text(self) -> str:
        return compared_text(self.adapter, self.source)

    @property
    def word_counts(self) -> Counter[str]:
        return count_words(self.text, language_of(self.adapter, self.adapter.settings))

    @cached_property
    def digests(self) -> frozenset[str]:
        """Return the digests of the source in every state of visibility."""
        # If the post was hidden or shown since the decision, its digest changed, but its text did not.
        states = product((True, False), repeat=2)
        return frozenset(
            replace(self.source, live=live, compared=compared).digest for live, compared in states
        )


@dataclass
class ModeratorLabels:
    """Labelled posts in sets, and the numbers of pairs that cannot be used.

    Models that are compared with each other share a set.

    - ``counts_by_kind``: labels of each kind.
    - ``gone_count``: pairs with a post that no longer exists.
    - ``changed_count``: pairs with a post that was changed since the decision.
    """

    corpora: dict[str, Corpus] = field(default_factory=dict)
    counts_by_kind: Counter[str] = field(default_factory=Counter)
    gone_count: int = 0
    changed_count: int = 0

    def add(self, kind: str, a: _LabelledPost, b: _LabelledPost) -> None:
        """Add a label for two posts. It goes to the set of the first post."""
        if a.set_name not in self.corpora:
            self.corpora[a.set_name] = Corpus(a.set_name, language=common_language(a.adapter))
        corpus = self.corpora[a.set_name]
        for post in (a, b):
            corpus.texts[post.name] = post.text
            corpus.heads[post.name] = compared_head(post.adapter, post.source)
        corpus.pairs.append(
            LabelledPair(
                a.name, b.name, kind, kind != DIFFERENT_KIND, changed_share(a.word_counts, b.word_counts)
            )
        )
        self.counts_by_kind[kind] += 1


def collect_labels(profile: Profile, using: str) -> ModeratorLabels:
    """Return all decisions in force and all merges that are not undone, for posts of the profile."""
    labels = ModeratorLabels()
    _add_decisions(labels, profile, using)
    _add_merges(labels, profile, using)
    return labels


def compared_text(adapter: Adapter, source: Source) -> str:
    """Return the text that is compared: without quotations, if the adapter drops them."""
    if adapter.quotes == "keep" and adapter.markup is None:
        return source.text
    return plain_text(source.text, adapter.quotes, markup=adapter.markup).text


def compared_head(adapter: Adapter, source: Source) -> int:
    """Return the number of characters of ``compared_text`` that form the declared head."""
    head = replace(source, text=source.text[: source.head])
    return head_length(compared_text(adapter, source), compared_text(adapter, head))


@lru_cache(maxsize=MAX_CACHED_TEXTS)
def count_words(text: str, language: str) -> Counter[str]:
    """Return how often each word occurs in a text."""
    return Counter(token.key for token in Text(text, language=language).tokens)


def changed_share(a: Counter[str], b: Counter[str]) -> float:
    """Return the share, 0..1, of the longer text's words that the other text lacks."""
    longest = max(a.total(), b.total())
    return 1 - (a & b).total() / longest if longest else 0.0


def common_language(adapter: Adapter) -> str:
    """Return the language of a set: of its adapters, if they agree; otherwise the profile's."""
    languages = {language_of(partner, partner.settings) for partner in adapter.partner_adapters}
    return languages.pop() if len(languages) == 1 else adapter.settings.language


def post_name(model: type[models.Model], key: Any) -> str:
    """Return the name of a post in a set."""
    return f"{model._meta.label_lower}:{canonical_id(key)}"


def corpus_name(adapter: Adapter) -> str:
    """Return the name of the set of an adapter's posts: the labels of its partners."""
    return "+".join(model._meta.label_lower for model in adapter.partners)


def _add_decisions(labels: ModeratorLabels, profile: Profile, using: str) -> None:
    newest: dict[tuple[int, int], DecisionScope] = {}
    rows = Decision.objects.using(using).filter(space__profile=profile.alias, withdrawn=None)
    for decision in rows.prefetch_related("members").order_by("pk").iterator(chunk_size=CHUNK_SIZE):
        scope = DecisionScope.from_decision(decision)
        # In the order of primary keys: of two decisions about a pair, the newer one stays.
        newest |= dict.fromkeys(scope.covered_pairs(), scope)
    posts = _load_posts({document for pair in newest for document in pair}, using)
    for pair, scope in sorted(newest.items()):
        if not posts.keys() >= {*pair}:
            labels.gone_count += 1
        elif not all(scope.digests[document] in posts[document].digests for document in pair):
            labels.changed_count += 1
        else:
            kind = SAME_KIND if scope.decision.kind == Decision.Kind.SAME else DIFFERENT_KIND
            labels.add(kind, *(posts[document] for document in pair))


def _load_posts(documents: Iterable[int], using: str) -> dict[int, _LabelledPost]:
    """Return the current posts of the documents, by document id. Posts that are gone are left out."""
    document_ids, posts = sorted(documents), {}
    for chunk in chunked(document_ids):
        by_model: defaultdict[type[models.Model], dict[Any, int]] = defaultdict(dict)
        for document in Document.objects.using(using).filter(pk__in=chunk):
            model = model_of(document)
            if model in registered_adapters():
                assert model is not None
                by_model[model][model._meta.pk.to_python(document.object_id)] = document.pk
        for model, document_by_key in by_model.items():
            adapter = adapter_for(model)
            for key, source in adapter.sources(document_by_key, using).items():
                posts[document_by_key[key]] = _LabelledPost(adapter, post_name(model, key), source)
    return posts


def _add_merges(labels: ModeratorLabels, profile: Profile, using: str) -> None:
    """Add a label for each merge.

    The text of a merged post comes from the journal. The keeper's text is the current one. If the keeper was
    merged later, its text comes from its own journal.
    """
    records = MergeRecord.objects.using(using).filter(action=MergeRecord.Action.MERGE, undone=None)
    merged_posts: dict[tuple[Any, str], _LabelledPost] = {}
    pairs = []
    for record in records.exclude(keeper_type=None).order_by("-pk").iterator(chunk_size=CHUNK_SIZE):
        model, keeper = (
            _registered_model(content_type) for content_type in (record.loser_type, record.keeper_type)
        )
        if model is None or keeper is None or adapter_for(model).profile != profile.alias:
            continue
        adapter = adapter_for(model)
        post = _post_from_journal(record, adapter, using)
        if post is None:
            labels.gone_count += 1
            continue
        merged_posts[model, record.loser_id] = post
        pairs.append((post, adapter_for(keeper), record.keeper_id))
    keepers = _load_keepers(pairs, using)
    for post, adapter, key in pairs:
        keeper_post = keepers.get((adapter.model, key)) or merged_posts.get((adapter.model, key))
        if keeper_post is None:
            labels.gone_count += 1
        else:
            labels.add(MERGED_KIND, keeper_post, post)


def _load_keepers(
    pairs: Iterable[tuple[_LabelledPost, Adapter, str]], using: str
) -> dict[tuple[Any, str], _LabelledPost]:
    keys_by_adapter: defaultdict[Adapter, set[str]] = defaultdict(set)
    for _, adapter, key in pairs:
        keys_by_adapter[adapter].add(key)
    posts: dict[tuple[Any, str], _LabelledPost] = {}
    for adapter, keys in keys_by_adapter.items():
        model = adapter.model
        for chunk in chunked(sorted(keys)):
            sources = adapter.sources([model._meta.pk.to_python(key) for key in chunk], using)
            for key, source in sources.items():
                posts[model, canonical_id(key)] = _LabelledPost(adapter, post_name(model, key), source)
    return posts


def _registered_model(kind: ContentType | None) -> type[models.Model] | None:
    """Return the model. Return None if it is not registered."""
    model = kind.model_class() if kind is not None else None
    return model if model in registered_adapters() else None


def _post_from_journal(record: MergeRecord, adapter: Adapter, using: str) -> _LabelledPost | None:
    """Return the merged post as its journal describes it. Return None and log it if that cannot be read.

    Return None if the journal was emptied.
    """
    if record.emptied is not None:
        return None
    try:
        source = adapter.source(_rebuild_merged_post(record, adapter.model, using), compared=True, live=True)
    except Exception as error:
        # The model may have changed since, and code of the site reads the post.
        logger.warning("neardup: merge record %s cannot be read: %s", record.pk, type(error).__name__)
        return None
    return _LabelledPost(adapter, f"{adapter.model._meta.label_lower}:{record.loser_id} (merged)", source)


def _rebuild_merged_post(record: MergeRecord, model: type[models.Model], using: str) -> models.Model:
    """Rebuild the post from the journal: its row and the rows of its parents' tables."""
    labels = {table_model._meta.label_lower for table_model in model_and_parents(model)}
    rows = [row for row in record.journal["rows"][: record.journal.get("own", 1)] if row["model"] in labels]
    objects = {type(row.object): row.object for row in serializers.deserialize("python", rows, using=using)}
    post = objects[model]
    for parent in model_and_parents(model) - {model}:
        for model_field in (*parent._meta.pk_fields, *own_table_fields(parent)):
            setattr(post, model_field.attname, getattr(objects[parent], model_field.attname))
    return post
