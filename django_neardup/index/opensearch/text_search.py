"""Searches of words: the analyzers of languages, the parameters of the searches, and their requests.

An entry of a post has its words in the field of its language, as OpenSearch's analyzer reduces them. The words can be
searched and not read back: ``_source`` is off.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ...conf import MORE_LIKE_THIS, MORE_LIKE_THIS_TUNED
from .key_documents import LOOK_UP_HEADER, MAX_HITS, split_requests

if TYPE_CHECKING:
    from ..base import TextSearch

ANALYZERS = {
    "ar": "arabic", "bg": "bulgarian", "bn": "bengali", "ca": "catalan", "ckb": "sorani", "cs": "czech",
    "da": "danish", "de": "german", "el": "greek", "en": "english", "es": "spanish", "et": "estonian", "eu": "basque",
    "fa": "persian", "fi": "finnish", "fr": "french", "ga": "irish", "gl": "galician", "hi": "hindi",
    "hu": "hungarian", "hy": "armenian", "id": "indonesian", "it": "italian", "ja": "cjk", "ko": "cjk",
    "lt": "lithuanian", "lv": "latvian", "nb": "norwegian", "nl": "dutch", "nn": "norwegian", "no": "norwegian",
    "pt": "portuguese", "ro": "romanian", "ru": "russian", "sv": "swedish", "th": "thai", "tr": "turkish", "zh": "cjk",
}  # fmt: skip
"""OpenSearch's own analyzers by the first part of a language code."""

TERMS_OF_SEARCHES = {
    # The defaults of the query. A word counts if the text has it twice, and five posts have it.
    MORE_LIKE_THIS: {"min_term_freq": 2, "min_doc_freq": 5},
    MORE_LIKE_THIS_TUNED: {"min_term_freq": 1, "min_doc_freq": 1},
}
MAX_QUERY_TERMS = 25
MIN_SHOULD_MATCH = "30%"
SEARCHES_PER_REQUEST = 50
CHARACTERS_PER_REQUEST = 2_000_000


class PostText(NamedTuple):
    """The text of a post as it is sent.

    ``language`` is a language code. ``text`` is the text without markup.
    """

    space: int
    is_live: bool
    language: str
    text: str


def analyzer_of(language: str) -> str | None:
    """Return the analyzer of a language code. Return None if OpenSearch has none of its own."""
    return ANALYZERS.get(language.lower().replace("_", "-").partition("-")[0])


def text_properties() -> dict[str, Any]:
    """Return the fields of the mapping. Unused fields take no space."""
    languages = sorted(set(ANALYZERS.values()))
    fields = {
        # Without positions: the order of the words is not stored.
        analyzer: {"type": "text", "analyzer": analyzer, "index_options": "freqs"}
        for analyzer in languages
    }
    return {"space": {"type": "long"}, "live": {"type": "boolean"}, "text": {"properties": fields}}


def text_fields(text: PostText) -> dict[str, Any]:
    """Return the fields of an entry. Empty if the language has no analyzer."""
    analyzer = analyzer_of(text.language)
    return {"space": text.space, "live": text.is_live, "text": {analyzer: text.text}} if analyzer else {}


def search_requests(index: str, searches: Sequence[TextSearch]) -> Iterator[tuple[list[TextSearch], str]]:
    """Yield requests that are short enough for OpenSearch: the searches of each, and its lines."""
    header = json.dumps({"index": index, **LOOK_UP_HEADER})
    entries = (
        (search, f"{header}\n{json.dumps(_search_body(search), ensure_ascii=False)}\n") for search in searches
    )
    return split_requests(entries, CHARACTERS_PER_REQUEST, SEARCHES_PER_REQUEST)


def _search_body(search: TextSearch) -> dict[str, Any]:
    like = {
        "fields": [f"text.{analyzer_of(search.language)}"],
        "like": [search.text],
        "max_query_terms": MAX_QUERY_TERMS,
        "minimum_should_match": MIN_SHOULD_MATCH,
        **TERMS_OF_SEARCHES[search.kind],
    }
    filters: list[dict[str, Any]] = [{"term": {"space": search.space}}]
    if search.is_live is not None:
        filters.append({"term": {"live": search.is_live}})
    return {
        "query": {
            "bool": {
                "must": [{"more_like_this": like}],
                "filter": filters,
                "must_not": [{"term": {"document": search.document}}],
            }
        },
        "size": min(search.size, MAX_HITS),
        # Of equally similar posts the oldest come first: they lead the groups.
        "sort": ["_score", {"document": "asc"}],
        "track_total_hits": False,
        "_source": False,
        "stored_fields": "_none_",
    }
