"""Rows that the database itself changes: by foreign keys with actions of their own, and by triggers."""

from __future__ import annotations

from django.db import models

from tests.testapp.zoo import Piece, Single


class Shadow(models.Model):
    """Deleted by the database with its piece."""

    piece = models.ForeignKey(Piece, models.DO_NOTHING, db_constraint=False, related_name="+")
    text = models.CharField(max_length=20, default="")


class ShadowNote(models.Model):
    """Deleted by the database with its shadow."""

    shadow = models.ForeignKey(Shadow, models.DO_NOTHING, db_constraint=False, related_name="+")


class Echo(models.Model):
    """Loses its reference to a deleted piece by the database."""

    piece = models.ForeignKey(Piece, models.DO_NOTHING, db_constraint=False, null=True, related_name="+")


class SingleNote(models.Model):
    """Deleted by the database with a row that a choice may drop."""

    single = models.ForeignKey(Single, models.DO_NOTHING, db_constraint=False, related_name="+")


class Tally(models.Model):
    """Triggers keep the number of the visits of a piece here."""

    name = models.CharField(max_length=20)
    visits = models.IntegerField(default=0)


class Visit(models.Model):
    piece = models.ForeignKey(Piece, models.CASCADE, related_name="+")
    tally = models.ForeignKey(Tally, models.CASCADE, related_name="+")


if hasattr(models, "DB_CASCADE"):  # since Django 6.1

    class Trace(models.Model):
        piece = models.ForeignKey(Piece, models.DB_CASCADE, related_name="+")

    class TraceNote(models.Model):
        trace = models.ForeignKey(Trace, models.DB_CASCADE, related_name="+")

    class Loose(models.Model):
        piece = models.ForeignKey(Piece, models.DB_SET_NULL, null=True, related_name="+")

    class SingleTrace(models.Model):
        single = models.ForeignKey(Single, models.DB_CASCADE, related_name="+")


MODELS = ("shadow", "shadownote", "echo", "singlenote", "tally", "visit")
"""Their tables are made by the statements below."""

KEYS = {
    "sqlite": "integer NOT NULL PRIMARY KEY AUTOINCREMENT",
    "postgresql": "bigserial PRIMARY KEY",
    "mysql": "bigint NOT NULL AUTO_INCREMENT PRIMARY KEY",
}
TABLES = [
    "CREATE TABLE testapp_shadow (id {key}, text varchar(20) NOT NULL, piece_id bigint NOT NULL, "
    "FOREIGN KEY (piece_id) REFERENCES testapp_piece (id) ON DELETE CASCADE)",
    "CREATE TABLE testapp_shadownote (id {key}, shadow_id bigint NOT NULL, "
    "FOREIGN KEY (shadow_id) REFERENCES testapp_shadow (id) ON DELETE CASCADE)",
    "CREATE TABLE testapp_echo (id {key}, piece_id bigint NULL, "
    "FOREIGN KEY (piece_id) REFERENCES testapp_piece (id) ON DELETE SET NULL)",
    "CREATE TABLE testapp_singlenote (id {key}, single_id bigint NOT NULL, "
    "FOREIGN KEY (single_id) REFERENCES testapp_single (id) ON DELETE CASCADE)",
    "CREATE TABLE testapp_tally (id {key}, name varchar(20) NOT NULL, visits integer NOT NULL)",
    "CREATE TABLE testapp_visit (id {key}, piece_id bigint NOT NULL, tally_id bigint NOT NULL)",
]
COUNT = {
    "INSERT": "UPDATE testapp_tally SET visits = visits + 1 WHERE id = NEW.tally_id",
    "DELETE": "UPDATE testapp_tally SET visits = visits - 1 WHERE id = OLD.tally_id",
}
TRIGGERS = {
    "sqlite": ["CREATE TRIGGER {name} AFTER {event} ON {table} BEGIN {body}; END"],
    "mysql": ["CREATE TRIGGER {name} AFTER {event} ON {table} FOR EACH ROW BEGIN {body}; END"],
    "postgresql": [
        "CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {body}; RETURN NULL; END $$",
        "CREATE TRIGGER {name} AFTER {event} ON {table} FOR EACH ROW EXECUTE FUNCTION {name}()",
    ],
}
DROPPED_TRIGGERS = {
    "sqlite": "DROP TRIGGER {name}",
    "mysql": "DROP TRIGGER {name}",
    "postgresql": "DROP FUNCTION {name} CASCADE",
}


def trigger(vendor: str, name: str, event: str, table: str, body: str) -> list[str]:
    """Return the statements that create a trigger. ``body`` is one or more statements without the last ";"."""
    values = {"name": name, "event": event, "table": table, "body": body}
    return [statement.format(**values) for statement in TRIGGERS[vendor]]


def statements(vendor: str) -> list[str]:
    """Return the statements that make the tables and triggers on a database."""
    triggers = [
        statement
        for event, count in COUNT.items()
        for statement in trigger(vendor, f"testapp_count_{event}".lower(), event, "testapp_visit", count)
    ]
    return [*(table.format(key=KEYS[vendor]) for table in TABLES), *triggers]
