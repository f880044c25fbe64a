"""The system of one article on its own engine, beside our default scheme."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, partial
from typing import Any, NamedTuple

from benchmarks.figures import Bar, Figure, Sizes, row
from benchmarks.site import database, server
from benchmarks.texts import folder
from benchmarks.timing import measuring, percentile, seconds

COPIES, OTHERS = 700, 305
"""Edited copies that are looked up, and texts about another item, at most."""
QUICK = 20
MOST_CHANGED = 0.5
BATCH = 100
COSINE = {"ALGORITHM": "profile-cosine", "OPTIONS": {"guard": False}}
SYSTEMS: dict[str, dict[str, Any]] = {
    "more-like-this": {**COSINE, "CANDIDATES": "more-like-this"},
    "more-like-this-tuned": {**COSINE, "CANDIDATES": "more-like-this-tuned"},
    "profile-cosine by its own keys": COSINE,
    "default scheme": {},
}


class Pair(NamedTuple):
    """A text in the collection, and one that is looked up."""

    stored: str
    asked: str


class Answer(NamedTuple):
    """Whether the stored text is among the candidates, and whether the two are called duplicates."""

    is_candidate: bool
    is_duplicate: bool


class System:
    """A profile of our app on a database of its own, filled with the stored texts."""

    def __init__(self, place: int, values: dict[str, Any], pairs: Sequence[Pair]) -> None:
        self.alias = database("sqlite", f"more_like_this_{place}")
        index = {"BACKEND": "django_neardup.index.opensearch.OpenSearchIndex", "REPLICAS": 0}
        index |= {"HOSTS": [server("opensearch").host], "NAME": f"bench{place}"}
        self.settings = {"BACKEND": None, **({"INDEX": index} if "CANDIDATES" in values else {}), **values}
        self._pairs = pairs

    def fill(self) -> None:
        """Store the texts, and index them."""
        from django.core.management import call_command
        from django.db import connections

        from benchmarks.board.models import Post
        from django_neardup.index import ship_all

        with connections[self.alias].schema_editor() as editor:
            editor.create_model(Post)
        texts = dict.fromkeys(pair.stored for pair in self._pairs)
        Post.objects.using(self.alias).bulk_create(Post(title="", text=text, author=0) for text in texts)
        call_command("neardup_index", "board.Post", database=self.alias, no_progress=True, verbosity=0)
        ship_all(self.alias)

    @cached_property
    def documents(self) -> dict[str, int]:
        """The documents of the stored texts."""
        from benchmarks.board.models import Post
        from django_neardup.models import Document

        texts = dict(Post.objects.using(self.alias).values_list("pk", "text"))
        rows = Document.objects.using(self.alias).values_list("object_key", "pk")
        return {texts[key]: pk for key, pk in rows}

    def answers(self, pairs: Sequence[Pair]) -> Iterator[Answer]:
        """Compare texts with the collection, as a worker compares saved posts."""
        from django_neardup.comparison.candidates import bucket_matches_of, candidates_many
        from django_neardup.comparison.verify import verify_many

        for start in range(0, len(pairs), BATCH):
            portion = pairs[start : start + BATCH]
            signed, posts = self._signed([pair.asked for pair in portion])
            nearby = posts.select_nearby(signed, bucket_matches_of(signed, posts)) if signed else {}
            judged = verify_many(signed, candidates_many(signed, posts), posts) if signed else {}
            for place, pair in enumerate(portion):
                own, stored = -1 - place, self.documents.get(pair.stored, 0)
                yield Answer(
                    own in nearby
                    and (stored in nearby[own].shared_counts or stored in nearby[own].sure_documents),
                    any(
                        found.other_side(own).document_id == stored and found.judgement.verdict == "duplicate"
                        for found in judged.get(own, ())
                    ),
                )

    def look_up(self, text: str) -> None:
        """Compare one text, from the text to the verdicts."""
        from django_neardup.comparison.candidates import candidates_many
        from django_neardup.comparison.verify import verify_many

        signed, posts = self._signed([text])
        if signed:
            verify_many(signed, candidates_many(signed, posts), posts)

    def _signed(self, texts: Sequence[str]) -> tuple[Any, Any]:
        """Return the texts that are compared, signed, and the posts with which they are compared."""
        from benchmarks.board.models import Post
        from django_neardup.adapters import Source, adapter_for
        from django_neardup.models import Document
        from django_neardup.pipeline.scheme_cache import cached_scheme, cached_space
        from django_neardup.pipeline.sign import sign_texts
        from django_neardup.pipeline.stage_types import ReadDocument
        from django_neardup.pipeline.stored_posts import StoredPosts

        adapter = adapter_for(Post)
        scheme = cached_scheme(adapter.settings, self.alias)
        read = [
            ReadDocument(Document(pk=-1 - place), adapter, Source(text, (), (), (), "", True, True, ()))
            for place, text in enumerate(texts)
        ]
        signed = sign_texts(read, scheme, partial(cached_space, using=self.alias))
        return list(signed), StoredPosts(adapter.settings, scheme, self.alias)


@row("more-like-this", "an article's system on OpenSearch: more_like_this, then a cosine of letter runs")
def more_like_this(sizes: Sizes, bar: Bar) -> Iterator[Figure]:
    """Russian labelled texts: edited copies with at most half of the words changed, and adverts about another item.
    Their sources are the collection, and each copy is looked up in it, as a worker looks up a saved post.  Candidates
    of the article: the ten best of OpenSearch's `more_like_this` with the analyzer `russian`, by its defaults and with
    `min_term_freq=1, min_doc_freq=1`; then the cosine, duplicates from .8 on, without our guard.  Beside it the keys by
    which `profile-cosine` finds candidates without OpenSearch, and our default scheme, both on SQLite.  Time: one text
    at a time, from the text to all verdicts."""
    from django.test import override_settings

    copies, others = _labelled(sizes)
    places = iter(range(1, 100))
    for place, (name, values) in enumerate(SYSTEMS.items()):
        system = System(place, values, [*copies, *others])
        with override_settings(NEARDUP={"default": system.settings}), bar(name, 3) as progress:
            system.fill()
            progress.update(1)
            found, wrong = list(system.answers(copies)), list(system.answers(others))
            progress.update(1)
            asked = [pair.asked for pair in copies[:: max(1, len(copies) // sizes.lookups)]]
            with measuring():
                spent = sorted(seconds(partial(system.look_up, text)) for text in asked)
            progress.update(1)
        for what, value, unit in (
            ("source among the candidates", _share(answer.is_candidate for answer in found), ""),
            ("source called a duplicate", _share(answer.is_duplicate for answer in found), ""),
            ("other items called duplicates", sum(answer.is_duplicate for answer in wrong), "pairs"),
            ("a text, p50", percentile(spent, 0.5) * 1e3, "ms"),
            ("a text, p99", percentile(spent, 0.99) * 1e3, "ms"),
        ):
            yield Figure(f"more-like-this.{next(places)}", f"{name}: {what}", value, unit)
    yield Figure(f"more-like-this.{next(places)}", "copies looked up", len(copies), "texts")
    yield Figure(f"more-like-this.{next(places)}", "other items looked up", len(others), "texts")


def _share(values: Iterator[bool]) -> float:
    answers = list(values)
    return sum(answers) / max(len(answers), 1)


def _labelled(sizes: Sizes) -> tuple[list[Pair], list[Pair]]:
    """Return edited copies with their sources, and adverts about other items with the adverts that they resemble."""
    from django_neardup.evaluation.corpora import find_set_names, load_corpus

    names = {*find_set_names(folder(), ("edits_a", "example"))}
    edits = load_corpus(folder(), min(names, key=["edits_a", "example"].index))
    adverts = load_corpus(folder(), "ads_a")
    copies = [
        pair
        for pair in edits.pairs
        if pair.is_duplicate and not pair.is_containment and (pair.changed_share or 0) <= MOST_CHANGED
    ]
    others = [pair for pair in adverts.pairs if pair.is_duplicate is False]
    return (
        _sample(edits.texts, copies, QUICK if sizes.quick else COPIES),
        _sample(adverts.texts, others, QUICK if sizes.quick else OTHERS),
    )


def _sample(texts: dict[str, str], labelled: Sequence[Any], size: int) -> list[Pair]:
    """Return Russian pairs, spread over all of them."""
    pairs = [Pair(texts[pair.a], texts[pair.b]) for pair in labelled]
    russian = [pair for pair in pairs if _is_russian(pair.stored) and _is_russian(pair.asked)]
    return russian[:: max(1, len(russian) // size)][:size]


def _is_russian(text: str) -> bool:
    letters = [letter for letter in text.lower() if letter.isalpha()]
    return 2 * sum("а" <= letter <= "я" for letter in letters) > len(letters)
