"""Every check id with its description. docs/reference/checks.md holds the same table."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from django.core.checks import CheckMessage, Error, Info, Warning

CHECK_DESCRIPTIONS = {
    "E001": "NEARDUP has another shape than that of profiles by alias, or a key that is not known",
    "E002": "BACKEND is none of those there are",
    "E003": "ALGORITHM is unknown, does not take OPTIONS, or signs no single text; or OPTIONS cannot be stored",
    "E004": "an adapter names a field that its model lacks",
    "E005": "an adapter has neither fields nor a text() of its own",
    "E006": "an adapter's model has a composite primary key, or one of more than 255 characters",
    "E007": "compare_with names a model that cannot be compared with",
    "E008": 'BACKEND is "rq", but django_rq or its queue is missing',
    "E009": 'BACKEND is "tasks", but Django has no tasks or no such queue',
    "E010": "LANGUAGE is no language code",
    "E011": "a number is out of its range",
    "E012": "quotes, markup or ignored_differences hold what an adapter cannot use",
    "E013": "SYNONYMS names a file that cannot be used",
    "E014": "INDEX names no key index, or the index cannot work with a database",
    "E015": "KEEPER is no policy, and nothing that can be called",
    "E016": "a table of publication rules cannot be read",
    "E017": "THROTTLE is no rate, and no Throttle of the site's own",
    "E018": "posts are to be held, and the adapter cannot hide, show or compare hidden ones",
    "E019": "SEO holds words that are not known",
    "E020": 'SEO holds "redirects", and an app or a setting that it needs is missing',
    "E021": "heads are not the beginning of the text",
    "E022": "what an adapter says of a merge cannot be understood",
    "W101": "live() is overridden, and no field is watched",
    "W102": "no model is registered",
    "W103": "the URLs are not included",
    "W104": "tables are missing or not up to date",
    "W105": "posts wait, and no worker runs",
    "W106": "the settings are unlike the active scheme",
    "W107": "SQLite begins its transactions without the write lock",
    "W108": "ALGORITHM needs statistics of the posts, and there are none",
    "W110": "old addresses are kept, and no middleware answers for them",
    "W111": "pairs were judged by another version of the judge, or with other boilerplate",
    "W112": "a middleware opens a transaction around each request",
    "W113": "a setting of the site stands in another profile than default",
    "W114": "an adapter has a name that is nearly that of a hook",
    "W115": "a language code is not known",
    "W116": "posts are in quarantine",
    "W117": "a run of neardup_index is not finished",
    "I201": "the first field looks like a title, and no heads are declared",
    "I202": "a model looks like articles or forum posts, and is compared as adverts",
}

MESSAGE_CLASSES = {"E": Error, "W": Warning, "I": Info}
"""Classes of messages by the first letter of the id."""


def check_message(check_id: str, message: str, hint: str, obj: Any = None) -> CheckMessage:
    """Return an error, a warning or a proposal of the table. Raise KeyError for an unknown id."""
    if check_id not in CHECK_DESCRIPTIONS:
        raise KeyError(check_id)
    return MESSAGE_CLASSES[check_id[0]](message, hint=hint, obj=obj, id=f"neardup.{check_id}")


def did_you_mean(name: str, known_names: Iterable[str]) -> str:
    """Return a question that names the most similar known name. Return an empty string if none is similar."""
    similar_names = get_close_matches(name, list(known_names), 1)
    return f"Did you mean {similar_names[0]}? " if similar_names else ""
