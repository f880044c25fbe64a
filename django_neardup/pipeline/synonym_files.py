"""A profile's classes of synonyms. They are read from a file once per scheme and stored with the scheme."""

from __future__ import annotations

from functools import lru_cache

from django.core.exceptions import ImproperlyConfigured

from ..conf import Profile
from ..models import Scheme
from ..text.tokens.synonyms import Synonyms, read_numbered_classes

SynonymClasses = list[list[str]]


def read_synonym_classes(profile: Profile) -> SynonymClasses:
    """Return the classes in the profile's file. Return an empty list if the profile names no file.

    Raise ImproperlyConfigured with the reason if the file cannot be used.
    """
    if profile.synonyms is None:
        return []
    try:
        Synonyms.load(profile.synonyms, profile.language)
        return [words for _, words in read_numbered_classes(profile.synonyms)]
    except (OSError, ValueError) as error:
        raise ImproperlyConfigured(
            f"NEARDUP[{profile.alias!r}]: SYNONYMS {str(profile.synonyms)!r} cannot be used: {error}."
        ) from error


def synonyms_digest(classes: SynonymClasses, language: str) -> str:
    """Return the digest by which a scheme names the classes. Return an empty text if there are none."""
    return Synonyms.from_classes(classes, language).digest if classes else ""


def synonyms_of(scheme: Scheme, language: str) -> Synonyms | None:
    """Return the scheme's synonyms for texts in a language. Later changes of the file have no effect."""
    if scheme._state.adding:
        return Synonyms.from_classes(scheme.synonyms, language) if scheme.synonyms else None
    digest = scheme.parameters.get("synonyms")
    return _cached_synonyms(scheme._state.db or "default", scheme.pk, digest, language) if digest else None


@lru_cache(maxsize=16)
def _cached_synonyms(using: str, scheme: int, digest: str, language: str) -> Synonyms:
    """Return the synonyms of a stored scheme."""
    # ``digest`` is part of the cache key only: the same alias and id can mean another scheme, if the database
    # behind the alias changes.
    classes = Scheme.objects.using(using).values_list("synonyms", flat=True).get(pk=scheme)
    return Synonyms.from_classes(classes, language)
