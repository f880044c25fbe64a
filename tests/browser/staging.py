"""The example on a stage: prepared once, served, put back as it was for every scene."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from tests.example.conftest import Site, manage, served

PEOPLE = ("admin", "moderator", "demo", "zavod_zhbi")
SIGN_IN = """
from datetime import timedelta
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.utils import timezone
for name, key in {sessions}.items():
    user = User.objects.get(username=name)
    data = {{
        SESSION_KEY: str(user.pk),
        BACKEND_SESSION_KEY: "django.contrib.auth.backends.ModelBackend",
        HASH_SESSION_KEY: user.get_session_auth_hash(),
    }}
    Session.objects.save(key, data, timezone.now() + timedelta(days=1))
"""


def session_of(name: str) -> str:
    """The key of that person's session."""
    return f"session-of-{name}"


def prepare(database: Path) -> None:
    """The example's content, indexed; a session of each person."""
    for command in (["migrate", "--verbosity", "0"], ["load_example"], ["neardup_index"]):
        manage(database, *command)
    manage(database, "shell", "-c", SIGN_IN.format(sessions={name: session_of(name) for name in PEOPLE}))


@contextmanager
def stage(prepared: Path, name: str = "played", **variables: str) -> Iterator[Site]:
    """The running example on a copy of that database. ``variables``: of its environment."""
    played = prepared.with_name(f"{name}.sqlite3")
    restore(prepared, played)
    with served(played, **variables) as site:
        yield site


def restore(prepared: Path, played: Path) -> None:
    """Make the one database equal to the other, though a server has it open."""
    with closing(sqlite3.connect(prepared)) as source, closing(sqlite3.connect(played)) as target:
        source.backup(target)
