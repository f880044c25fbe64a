"""DATABASE_URL to a Django database."""

from pathlib import Path
from typing import Any

# A worker and a web process share the file: every transaction takes the write lock at once, readers go on.
SQLITE_OPTIONS = {
    "transaction_mode": "IMMEDIATE",
    "timeout": 20,
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL",
}


def database(url: str, default_file: Path) -> dict[str, Any]:
    """The settings of one database; the SQLite file where no URL is given."""
    if not url:
        return {"ENGINE": "django.db.backends.sqlite3", "NAME": default_file, "OPTIONS": SQLITE_OPTIONS}
    import dj_database_url

    settings: dict[str, Any] = dict(dj_database_url.parse(url))
    if settings["ENGINE"].endswith("sqlite3"):
        settings["OPTIONS"] = SQLITE_OPTIONS | settings.get("OPTIONS", {})
    if settings["ENGINE"].endswith("mysql"):
        settings["OPTIONS"] = {"charset": "utf8mb4"} | settings.get("OPTIONS", {})
        _accept_pymysql()
    return settings


def _accept_pymysql() -> None:
    """Let PyMySQL stand in for mysqlclient, which needs a compiler."""
    try:
        import MySQLdb  # noqa: F401
    except ImportError:
        import pymysql

        pymysql.install_as_MySQLdb()
