"""What happens in a throw-away database before it is read. Each scenario needs an empty one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from django.apps import apps
from django.core.management import call_command
from django.db import transaction
from django.db.models import Model

from django_neardup import drain, find_similar
from django_neardup.evaluation.corpora import load_corpus
from tools.digest.labelled import OWN, judgement_record, spread
from tools.digest.records import VERDICTS, Section
from tools.digest.stored import stored_sections

COLLECTION = "ads_a"
EVERY = 2
"""Of so many labelled pairs of the collection one is saved: the templates are the same in all of them."""
BATCH = 25
"""Turns of one drain. A drain begins with 25 documents and then chooses its batches by the clock. If a document has
more candidates than MAX_ALIGNED, the batches decide which pairs are aligned, so a longer drain finds other pairs on a
busy machine. Measured: without that limit, batches of 1, 25 and 100 give the same pairs."""
SEARCHES = 300
"""Adverts of the collection that similar ones are searched for."""


def example() -> list[Section]:
    """Fill the database as `make demo` does, and read it. The index is built by the backfill."""
    steps: Sequence[Sequence[str]] = import_module("demo").STEPS
    # The backfill chooses its batches by the clock, too. Measured: this example gives the same pairs and clusters in
    # batches of one post, and without MAX_ALIGNED.
    for step in steps:
        call_command(*step)
    work_off()
    return stored_sections("example")


def collection() -> list[Section]:
    """Save labelled adverts one by one, work them off and read the database, before and after changes."""
    call_command("migrate", verbosity=0)
    corpus = load_corpus(OWN, COLLECTION)
    keys = dict.fromkeys(key for pair in corpus.pairs[::EVERY] for key in (pair.a, pair.b))
    with transaction.atomic():
        adverts = [advert_model().objects.create(text=corpus.texts[key]) for key in keys]
    work_off()
    sections = [*stored_sections("collection"), search_section("collection search", adverts)]
    change(adverts)
    return [*sections, *stored_sections("changed collection")]


SCENARIOS: dict[str, Callable[[], list[Section]]] = {"example": example, "collection": collection}


def advert_model() -> Any:
    """Return the model of the example's adverts."""
    return apps.get_app_config("board").get_model("Ad")


def change(adverts: Sequence[Any]) -> None:
    """Edit some adverts, delete some and hide some, one after another, as people do on a running site.

    Clusters lose members and leaders, and get new ones.
    """
    for number, advert in enumerate(adverts):
        if number % 7 == 3:
            advert.text = adverts[(number + 50) % len(adverts)].text
            advert.save()
        elif number % 11 == 5:
            advert.delete()
        elif number % 13 == 8:
            advert.published = False
            advert.save()
        else:
            continue
        work_off()


def search_section(name: str, adverts: Sequence[Model]) -> Section:
    """Return what the search finds for some of the adverts, as a visitor who types them would see it."""
    section = Section(VERDICTS, name)
    for advert in spread(adverts, SEARCHES):
        matches = [
            {
                "object": match.object and match.object.pk,
                "own": match.own,
                **(judgement_record(match.judgement) if match.judgement else {}),
            }
            for match in find_similar(advert)
        ]
        section.add(f"{advert._meta.label_lower} {advert.pk}", {"matches": matches})
    return section


def work_off() -> None:
    """Drain until nothing waits. Raise RuntimeError if a drain leaves work that it cannot do."""
    while (result := drain(limit=BATCH)).has_pending:
        if not result.processed:
            raise RuntimeError("the drain cannot do what is left: see its warnings")
