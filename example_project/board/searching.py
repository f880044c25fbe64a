"""Search: by letters anywhere, by PostgreSQL's full text where that is the database."""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import Any

from django.db import connections
from django.db.models import F, Q, QuerySet, TextField, Value
from django.db.models.functions import Replace

MOST_WORDS = 8
LANGUAGE = "russian"


def matching(queryset: QuerySet[Any], query: str, heading: str, text: str) -> QuerySet[Any]:
    """The objects that hold every word of the query, the newest first; on PostgreSQL in any form, the best first."""
    words = query.replace("\0", "").split()[:MOST_WORDS]  # PostgreSQL takes no NUL in a text
    if not words:
        return queryset.none()
    if connections[queryset.db].vendor == "postgresql":
        return _by_full_text(queryset, words, heading, text)
    for word in words:
        queryset = queryset.filter(Q(**{f"{heading}__icontains": word}) | Q(**{f"{text}__icontains": word}))
    return queryset


def _by_full_text(queryset: QuerySet[Any], words: list[str], heading: str, text: str) -> QuerySet[Any]:
    """A site of more than some thousand posts keeps the vector in a column with a GIN index."""
    from django.contrib.postgres.search import SearchQuery, SearchRank, SearchVector

    weights = {heading: "A", text: "B"}
    vector = reduce(
        add, (SearchVector(_plain(field), weight=each, config=LANGUAGE) for field, each in weights.items())
    )
    asked = SearchQuery(_without_io(" ".join(words)), config=LANGUAGE)
    ranked = queryset.annotate(words=vector, rank=SearchRank(F("words"), asked))
    return ranked.filter(words=asked).order_by("-rank", "-created", "-pk")


def _plain(field: str) -> Replace:
    """The field with е for ё, as most people write."""
    small = Replace(F(field), Value("ё"), Value("е"), output_field=TextField())
    return Replace(small, Value("Ё"), Value("Е"), output_field=TextField())


def _without_io(text: str) -> str:
    return text.replace("ё", "е").replace("Ё", "Е")
