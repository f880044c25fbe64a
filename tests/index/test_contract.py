"""Every key index against the contract."""

import pytest

from django_neardup.db.backends import mysql, postgresql, sqlite
from tests.index.contract import IndexContract


class TestDatabaseIndex(IndexContract):
    path = "django_neardup.index.DatabaseIndex"


class TestDatabaseIndexInSmallStatements(IndexContract):
    """So runs and look-ups are cut into many statements."""

    path = "django_neardup.index.DatabaseIndex"

    @pytest.fixture(autouse=True)
    def _small_statements(self, monkeypatch):
        monkeypatch.setattr(sqlite, "PAIRS_PER_BATCH", 1000)
        monkeypatch.setattr(mysql, "PAIRS_PER_STATEMENT", 300)
        monkeypatch.setattr(mysql, "BUCKETS_PER_STATEMENT", 7)
        monkeypatch.setattr(postgresql, "PAIRS_PER_STATEMENT", 1000)
        monkeypatch.setattr(postgresql, "MIN_COPY_PAIRS", 1)


@pytest.mark.engine_alike
class TestOwnIndex(IndexContract):
    path = "tests.index.memory_index.MemoryIndex"
