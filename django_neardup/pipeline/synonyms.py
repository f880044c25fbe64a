"""A profile's classes of synonyms: read from its file once a scheme, kept with the scheme."""

from __future__ import annotations

from functools import lru_cache

from django.core.exceptions import ImproperlyConfigured

from ..conf import Profile
from ..models import Scheme
from ..text.synonyms import Synonyms, classes_in

Classes = list[list[str]]


def read_classes(profile: Profile) -> Classes:
    """The classes in the profile's file, none where it names none; ``ImproperlyConfigured`` says why they cannot be
    used."""
    if profile.synonyms is None:
        return []
    try:
        Synonyms.load(profile.synonyms, profile.language)
        return [words for _, words in classes_in(profile.synonyms)]
    except (OSError, ValueError) as error:
        raise ImproperlyConfigured(
            f"NEARDUP[{profile.alias!r}]: SYNONYMS {str(profile.synonyms)!r} cannot be used: {error}."
        ) from error


def digest_of(classes: Classes, language: str) -> str:
    """The name of those classes in a scheme; empty where there are none."""
    return Synonyms.of(classes, language).digest if classes else ""


def synonyms_of(scheme: Scheme, language: str) -> Synonyms | None:
    """The scheme's synonyms for texts of that language, whatever the file has come to hold since."""
    if scheme._state.adding:
        return Synonyms.of(scheme.synonyms, language) if scheme.synonyms else None
    digest = scheme.parameters.get("synonyms")
    return _kept(scheme._state.db or "default", scheme.pk, digest, language) if digest else None


@lru_cache(maxsize=16)
def _kept(using: str, scheme: int, digest: str, language: str) -> Synonyms:
    """``digest`` tells two schemes of one number, in two databases of that alias, apart."""
    classes = Scheme.objects.using(using).values_list("synonyms", flat=True).get(pk=scheme)
    return Synonyms.of(classes, language)
