"""The secret that keys all hashes of a scheme: a random one in the database, or the setting SECRET.

Of the setting the database holds only a digest, by which a change is noticed.
"""

from __future__ import annotations

import hashlib
import secrets
from functools import lru_cache

from django.core.exceptions import ImproperlyConfigured

from ..conf import Profile, get_profile
from ..exceptions import SecretMissing
from ..models import Scheme

DIGEST_PREFIX = "digest:"
"""The beginning of ``Scheme.secret`` if the setting SECRET has the secret. A random secret is hexadecimal."""


def secret_of(scheme: Scheme) -> bytes:
    """Return the secret of a scheme. Raise SecretMissing if SECRET no longer is the one that it was made with."""
    return read_secret(scheme.secret, scheme.profile)


def is_of_settings(scheme: Scheme) -> bool:
    """Return whether the setting SECRET has the secret of a scheme, and the database only its digest."""
    return scheme.secret.startswith(DIGEST_PREFIX)


def read_secret(stored: str, alias: str) -> bytes:
    """Return the secret for a value of ``Scheme.secret`` and the name of its profile. Raise SecretMissing."""
    if not stored.startswith(DIGEST_PREFIX):
        return bytes.fromhex(stored)
    configured = _setting_of(alias)
    if stored != _stored_form(configured):
        state = "has changed" if configured else "is not set any more"
        raise SecretMissing(
            f"NEARDUP[{alias!r}]['SECRET'] {state}, and the posts are indexed with the former one. Set it again, or "
            f"run python manage.py neardup_index --rebuild."
        )
    return _first_bytes(configured)


def configured_secret(profile: Profile) -> str:
    """Return the setting SECRET as ``Scheme.secret`` holds it. Return an empty text if it is not set."""
    return _stored_form(profile.secret or "")


def new_secret(profile: Profile, previous: str = "") -> str:
    """Return ``Scheme.secret`` for a new scheme: the setting's, otherwise the previous random one, or a new one."""
    is_random = bool(previous) and not previous.startswith(DIGEST_PREFIX)
    return configured_secret(profile) or (previous if is_random else secrets.token_hex(16))


def _setting_of(alias: str) -> str:
    try:
        return get_profile(alias).secret or ""
    except ImproperlyConfigured:
        # The profile was removed from the settings.
        return ""


def _first_bytes(configured: str) -> bytes:
    return configured.encode()[:32]


@lru_cache(maxsize=16)
def _stored_form(configured: str) -> str:
    if not configured:
        return ""
    # The index uses the setting's own bytes as its key: this digest must be no hash that the index holds.
    digest = hashlib.blake2b(_first_bytes(configured), digest_size=24, person=b"neardup secret")
    return DIGEST_PREFIX + digest.hexdigest()
