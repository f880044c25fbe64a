"""Every check id with its description. docs/reference/checks.md holds the same table."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from django.core.checks import CheckMessage, Error, Info, Warning

CHECK_DESCRIPTIONS = {
    "E001": "NEARDUP is not a mapping of aliases to profiles, or it has an unknown key",
    "E002": "BACKEND is not a known backend",
    "E003": "ALGORITHM is unknown, does not accept OPTIONS, or cannot sign a single text; or OPTIONS cannot be stored",
    "E004": "an adapter names a field that its model does not have",
    "E005": "an adapter has neither fields nor its own text()",
    "E006": "an adapter's model has a composite primary key, or one of more than 255 characters",
    "E007": "compare_with names a model that cannot be compared",
    "E008": 'BACKEND is "rq", but django_rq or its queue is missing',
    "E009": 'BACKEND is "tasks", but Django has no tasks or no such queue',
    "E010": "LANGUAGE is not a language code",
    "E011": "a number is out of its range",
    "E012": "quotes, markup or ignored_differences have an invalid value",
    "E013": "SYNONYMS names a file that cannot be used",
    "E014": "INDEX does not name a key index, or the index does not support a database",
    "E015": "KEEPER is neither a policy nor a callable",
    "E016": "a table of publication rules is invalid",
    "E017": "THROTTLE is neither a rate nor a Throttle class",
    "E018": "rules hold posts, but the adapter cannot hide, show or compare hidden posts",
    "E019": "SEO has unknown values",
    "E020": 'SEO has "redirects", but an app or a setting for it is missing',
    "E021": "heads are not the beginning of the text",
    "E022": "an adapter's options for merges are invalid",
    "E023": "CANDIDATES is unknown, or cannot be used with this index or language",
    "W101": "live() is overridden, but watch is empty",
    "W102": "no model is registered",
    "W103": "the URLs are not included",
    "W104": "tables are missing or not up to date",
    "W105": "posts are waiting, but no worker is running",
    "W106": "the settings differ from the active scheme",
    "W107": "SQLite starts its transactions without the write lock",
    "W108": "ALGORITHM needs statistics of the posts, and there are none",
    "W110": "old addresses are stored, but no middleware redirects them",
    "W111": "pairs were judged by another version of the judge, or with other boilerplate",
    "W112": "a middleware opens a transaction around each request",
    "W113": "a setting of the whole site is not in the profile default",
    "W114": "an attribute of an adapter has a name similar to a hook",
    "W115": "a language code is unknown",
    "W116": "posts are in quarantine",
    "W117": "a run of neardup_index is not finished",
    "W118": "the secret of the hashes is missing: SECRET has changed or is no longer set",
    "W119": "changed keys have not been sent to the key index",
    "W120": "the key index does not answer, refuses writes or must not be used",
    "I201": "the first field looks like a title, but no heads are declared",
    "I202": "a model looks like articles or forum posts, but is compared as adverts",
}

MESSAGE_CLASSES = {"E": Error, "W": Warning, "I": Info}
"""Classes of messages by the first letter of the id."""


def check_message(check_id: str, message: str, hint: str, obj: Any = None) -> CheckMessage:
    """Return an error, a warning or a proposal. Raise KeyError for an unknown id."""
    if check_id not in CHECK_DESCRIPTIONS:
        raise KeyError(check_id)
    return MESSAGE_CLASSES[check_id[0]](message, hint=hint, obj=obj, id=f"neardup.{check_id}")


def did_you_mean(name: str, known_names: Iterable[str]) -> str:
    """Return a question that names the most similar known name. Return an empty string if none is similar."""
    similar_names = get_close_matches(name, list(known_names), 1)
    return f"Did you mean {similar_names[0]}? " if similar_names else ""
