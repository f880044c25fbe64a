"""What the tests of this folder share: posts, what is told of them, what a call has asked of the database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

from django.apps import apps
from django.contrib.contenttypes.models import ContentType
from django.db import connections
from django.test.utils import CaptureQueriesContext

from django_neardup.search import Match
from tests.pipeline.families import family
from tests.testapp.models import Ad

VISIBLE = Ad.objects.filter(published=True)


def edited(number: int, edits: int, seed: int = 0) -> str:
    """The text of that family with so many of its words replaced."""
    words, chance = family(number), Random(f"{number}.{edits}.{seed}")
    for place in chance.sample(range(len(words)), edits):
        words[place] = chance.choice(family(10_000 + chance.randrange(500)))
    return " ".join(words)


def told(matches: list[Match]) -> list[object]:
    """All that is told, to the last letter."""
    return [(repr(each), each.object.pk, [repr(hint) for hint in each.hints]) for each in matches]


def names(matches: list[Match]) -> list[tuple[int, str]]:
    return [(each.object.pk, each.verdict) for each in matches]


@contextmanager
def only_reading(using: str = "default") -> Iterator[CaptureQueriesContext]:
    """Every statement only reads, and no table has another number of rows afterwards."""
    before = _counts(using)
    with CaptureQueriesContext(connections[using]) as queries:
        yield queries
    asked = [each["sql"].lstrip("( ").split()[0].upper() for each in queries]
    assert set(asked) <= {"SELECT"}, asked
    assert _counts(using) == before


def _counts(using: str) -> dict[str, int]:
    models = [*apps.get_app_config("neardup").get_models(), ContentType]
    return {model.__name__: model._base_manager.using(using).count() for model in models}
