"""Random models that point at posts in every way, and random histories of merges, deletions, edits and undos."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from typing import Any

from django.apps import apps
from django.contrib.contenttypes.fields import GenericForeignKey
from django.contrib.contenttypes.models import ContentType
from django.db import IntegrityError, connection, models, transaction

from django_neardup.exceptions import Conflict, MergeRefused
from django_neardup.models import MergeRecord, UndoProof
from django_neardup.moderation import ActionContext, delete, merge
from django_neardup.moderation.journal import statement_watch
from django_neardup.moderation.relations import rows_of
from django_neardup.moderation.undo.restore import undo
from tests.testapp.database_made import DROPPED_TRIGGERS, trigger
from tests.testapp.zoo import NullCharField

LABEL = "testapp"
POSTS = 5
ON_DELETE = {
    "cascade": (models.CASCADE, {}),
    "set null": (models.SET_NULL, {"null": True}),
    "set default": (models.SET_DEFAULT, {"null": True, "default": None}),
    "protect": (models.PROTECT, {}),
    "restrict": (models.RESTRICT, {}),
    "nothing": (models.DO_NOTHING, {"db_constraint": False}),
    **{
        name: (getattr(models, name), {} if name == "DB_CASCADE" else {"null": True})
        for name in ("DB_CASCADE", "DB_SET_NULL")
        if hasattr(models, name)  # since Django 6.1
    },
}
DATABASE_ACTIONS = ("CASCADE", "SET NULL")
Rows = dict[str, dict[Any, dict[str, Any]]]


class DatabaseKey(models.ForeignKey):
    """A foreign key that only the database knows what to do about, as with Django 6.1's ``DB_CASCADE``."""

    def __init__(
        self, to: Any, on_delete: Any = models.DO_NOTHING, action: str = "CASCADE", **options: Any
    ) -> None:
        self.action = action
        super().__init__(to, models.DO_NOTHING, **{**options, "db_constraint": False})

    def deconstruct(self) -> Any:
        name, path, arguments, options = super().deconstruct()
        return name, path, arguments, {**options, "action": self.action}

    def db_type(self, connection: Any) -> str:
        # MariaDB takes no such words before "NULL": see ``tables_of``.
        rule = "" if connection.vendor == "mysql" else f" {self.rule()}"
        return f"{super().db_type(connection)}{rule}"

    def rule(self) -> str:
        table, column = self.related_model._meta.db_table, self.target_field.column
        return f"REFERENCES {table} ({column}) ON DELETE {self.action}"


class Schema:
    """The models of one random schema. ``post`` is merged, ``topic`` is what posts point at."""

    def __init__(self, seed: int) -> None:
        self.chance = Random(seed)
        self.prefix = f"Random{seed}"
        self.models: list[type[models.Model]] = []
        self.topic = self._model(
            "Topic",
            name=models.CharField(max_length=20),
            posts=models.IntegerField(default=0),
            visits=models.IntegerField(default=0),
        )
        self.post = self._post()
        self.child = (
            self._model("Child", base=self.post, paper=models.CharField(max_length=20))
            if self.roll()
            else None
        )
        self.related = [self._related(number) for number in range(self.chance.randint(2, 5))]
        self.triggers = self._triggers() if self.roll(0.4) else []

    def roll(self, share: float = 0.5) -> bool:
        return self.chance.random() < share

    def _model(
        self,
        model_name: str,
        /,
        base: type[models.Model] = models.Model,
        meta: dict[str, Any] | None = None,
        **body: Any,
    ) -> Any:
        options = type("Meta", (), {"app_label": LABEL, **(meta or {})})
        made = type(f"{self.prefix}{model_name}", (base,), {"__module__": __name__, "Meta": options, **body})
        self.models.append(made)
        return made

    def _post(self) -> Any:
        topic = models.ForeignKey(self.topic, models.SET_NULL, null=True, related_name="+")
        body: dict[str, Any] = {
            "title": models.CharField(max_length=20),
            "number": models.IntegerField(default=0),
            "topic": topic,
        }
        if self.roll():
            body["code"] = NullCharField(max_length=20, null=True, unique=True, blank=True, default="")
        if self.roll():
            body["parent"] = models.ForeignKey("self", models.SET_NULL, null=True, related_name="+")
        if self.roll():
            body["twin"] = models.OneToOneField("self", models.SET_NULL, null=True, related_name="+")
        body["delete"] = self.chance.choice(
            [models.Model.delete, counting(self.topic), taking_topic(self.topic)]
        )
        return self._model("Post", **body)

    def _related(self, number: int) -> Any:
        on_delete, options = ON_DELETE[self.chance.choice([*ON_DELETE])]
        column: Any = self.chance.choice([models.ForeignKey, models.ForeignKey, models.OneToOneField])
        body: dict[str, Any] = {"name": models.CharField(max_length=20)}
        kind = self.chance.choice(["key", "key", "key", "unique", "generic", "many", "nested", "database"])
        meta: dict[str, Any] = {}
        if kind == "generic":
            body["kind"] = models.ForeignKey(ContentType, models.CASCADE, related_name="+")
            body["key"] = models.PositiveIntegerField()
            body["post"] = GenericForeignKey("kind", "key")
        elif kind == "database":
            action = self.chance.choice(DATABASE_ACTIONS)
            body["post"] = DatabaseKey(
                self.post, action=action, related_name="+", null=action == "SET NULL", default=None
            )
        elif kind == "many":
            body["posts"] = models.ManyToManyField(self.post, related_name="+")
        elif kind == "unique":
            body["post"] = models.ForeignKey(self.post, on_delete, related_name="+", **options)
            body["topic"] = models.ForeignKey(self.topic, models.CASCADE, related_name="+")
            meta["unique_together"] = [("post", "topic")]
        else:
            body["post"] = column(self.post, on_delete, related_name="+", **options)
        made = self._model(f"Related{number}", meta=meta, **body)
        if kind == "nested":
            inner, inner_options = ON_DELETE[self.chance.choice(["cascade", "set null", "protect"])]
            self._model(
                f"Nested{number}",
                outer=models.ForeignKey(made, inner, related_name="+", **inner_options),
                name=models.CharField(max_length=20),
            )
        return made

    def _triggers(self) -> list[tuple[str, str, str]]:
        """Return triggers as (event, table, body): the topic counts rows, and rows write a log of their own."""
        log = self._model("Log", name=models.CharField(max_length=20), key=models.BigIntegerField())
        counted = [model for model in (self.post, *self.related) if _has_topic(model)]
        self.counted = self.chance.choice(counted)
        table, log_table = self.counted._meta.db_table, log._meta.db_table
        topics = self.topic._meta.db_table
        count = f"UPDATE {topics} SET visits = visits {{0}} 1 WHERE id = {{1}}.topic_id"
        triggers = [
            ("INSERT", table, count.format("+", "NEW")),
            ("DELETE", table, count.format("-", "OLD")),
            ("UPDATE", table, f"{count.format('-', 'OLD')}; {count.format('+', 'NEW')}"),
        ]
        if self.roll():
            post_table = self.post._meta.db_table
            insert = f"INSERT INTO {log_table} (name, {quoted('key')}) VALUES (NEW.title, NEW.id)"
            triggers += [
                ("INSERT", post_table, insert),
                ("DELETE", post_table, f"DELETE FROM {log_table} WHERE {quoted('key')} = OLD.id"),
            ]
        return triggers


def _without_count(row: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return a row without the column that triggers set: it counts what there is."""
    return row and {name: value for name, value in row.items() if name != "visits"}


def _has_topic(model: Any) -> bool:
    return any(field.name == "topic" for field in model._meta.local_concrete_fields)


def quoted(name: str) -> str:
    return connection.ops.quote_name(name)


def counting(topic: Any) -> Any:
    def count_and_delete(self: Any, *args: Any, **kwargs: Any) -> Any:
        result = models.Model.delete(self, *args, **kwargs)
        topic.objects.filter(pk=self.topic_id).update(posts=models.F("posts") - 1)
        return result

    return count_and_delete


def taking_topic(topic: Any) -> Any:
    """As a forum does: the topic goes with its last post."""

    def delete_with_topic(self: Any, *args: Any, **kwargs: Any) -> Any:
        result = models.Model.delete(self, *args, **kwargs)
        if self.topic_id and not type(self)._base_manager.filter(topic=self.topic_id).exists():
            topic.objects.filter(pk=self.topic_id).delete()
        return result

    return delete_with_topic


@contextmanager
def tables_of(schema: Schema) -> Iterator[None]:
    """Create the tables of a schema, and remove tables and models after the block."""
    apps.clear_cache()
    statement_watch.models_by_table.cache_clear()
    with connection.schema_editor() as editor:
        for model in schema.models:
            editor.create_model(model)
        for field in (field for model in schema.models for field in model._meta.local_fields):
            if isinstance(field, DatabaseKey) and connection.vendor == "mysql":
                table = field.model._meta.db_table
                editor.execute(f"ALTER TABLE {table} ADD FOREIGN KEY ({field.column}) {field.rule()}")
        made = [
            (f"{schema.prefix}_{number}".lower(), *described)
            for number, described in enumerate(schema.triggers)
        ]
        for name, event, table, body in made:
            for statement in trigger(connection.vendor, name, event, table, body):
                editor.execute(statement, params=None)
    # As after a migration: one that is made in an action would be cached although the action is rolled back.
    ContentType.objects.get_for_models(*schema.models)
    try:
        yield
    finally:
        clear(schema)
        with connection.schema_editor() as editor:
            for name, *_rest in made:
                editor.execute(DROPPED_TRIGGERS[connection.vendor].format(name=name), params=None)
            for model in reversed(schema.models):
                editor.delete_model(model)
        name = schema.prefix.lower()
        for model_name in [
            model_name for model_name in apps.all_models[LABEL] if model_name.startswith(name)
        ]:
            del apps.all_models[LABEL][model_name]
        apps.clear_cache()
        statement_watch.models_by_table.cache_clear()
        ContentType.objects.filter(app_label=LABEL, model__startswith=name)._raw_delete("default")
        ContentType.objects.clear_cache()


def clear(schema: Schema) -> None:
    """Delete the rows of a schema, and the records."""
    with connection.constraint_checks_disabled(), transaction.atomic():
        for model in models_of(schema):
            rows_of(model, "default")._raw_delete("default")
        MergeRecord.objects.all().delete()
        UndoProof.objects.all().delete()


def models_of(schema: Schema) -> list[Any]:
    """Return the models of a schema with its many-to-many tables."""
    found = apps.get_models(include_auto_created=True)
    return [model for model in found if str(model._meta.model_name).startswith(schema.prefix.lower())]


class History:
    """Posts of a schema, and what happens to them. ``edited``: ids of rows that a person has touched."""

    def __init__(self, schema: Schema, seed: int, with_edits: bool) -> None:
        self.schema, self.chance, self.with_edits = schema, Random(seed), with_edits
        self.records: list[MergeRecord] = []
        self.said: list[str] = []
        self.edited: set[tuple[str, Any]] = set()
        self._fill()
        self.before = self.rows()

    def _fill(self) -> None:
        schema, chance = self.schema, self.chance
        topics = [schema.topic.objects.create(name=f"t{number}") for number in range(3)]
        for number in range(POSTS):
            model = schema.child if schema.child and chance.random() < 0.3 else schema.post
            extra = {"paper": "p"} if model is schema.child else {}
            post = model(title=f"p{number}", number=number, topic=chance.choice([*topics, None]), **extra)
            self._save(post)
        posts = list(schema.post.objects.all())
        for post in posts:
            for name in ("parent", "twin"):
                if hasattr(post, f"{name}_id") and chance.random() < 0.3:
                    setattr(post, name, chance.choice(posts))
            if hasattr(post, "code") and chance.random() < 0.4:
                post.code = f"c{post.pk}"
            self._save(post)
        for model in self._others():
            for _ in range(chance.randint(0, 5)):
                self._add_row(model, posts, topics)
        for topic in topics:
            topic.posts = schema.post.objects.filter(topic=topic).count()
            topic.save(update_fields=["posts"])

    def _others(self) -> list[Any]:
        return [
            model
            for model in self.schema.models
            if model not in (self.schema.topic, self.schema.post, self.schema.child)
        ]

    def _add_row(self, model: Any, posts: list[Any], topics: list[Any]) -> Any:
        row = model(name=f"r{self.chance.randrange(100)}")
        names = {field.name for field in model._meta.get_fields()}
        if "post" in names:
            row.post = self.chance.choice(posts)
        if "topic" in names:
            row.topic = self.chance.choice(topics)
        if "outer" in names:
            outers = list(model._meta.get_field("outer").related_model.objects.all())
            if not outers:
                return None
            row.outer = self.chance.choice(outers)
        if self._save(row) and "posts" in names:
            row.posts.set(self.chance.sample(posts, self.chance.randint(0, len(posts))))
        return row if row.pk else None

    @staticmethod
    def _save(row: Any) -> bool:
        try:
            with transaction.atomic():
                row.save()
        except IntegrityError:
            return False
        return True

    def rows(self) -> Rows:
        """Every row of the schema, by the label of its model and its key."""
        found: Rows = {}
        for model in models_of(self.schema):
            names = [field.attname for field in model._meta.local_concrete_fields]
            rows = rows_of(model, "default").order_by("pk").values("pk", *names)
            found[model._meta.label_lower] = {row["pk"]: row for row in rows}
        return found

    def run(self, steps: int) -> None:
        for _ in range(steps):
            actions = [self.merge, self.merge, self.delete, self.undo] + (
                [self.edit] * 2 if self.with_edits else []
            )
            self.chance.choice(actions)()
        self.undo_all()

    def merge(self) -> None:
        posts = list(self.schema.post.objects.all())
        if len(posts) > 1:
            keeper, *losers = self.chance.sample(posts, self.chance.randint(2, min(3, len(posts))))
            choices = {
                model._meta.label_lower: self.chance.choice(["keeper", "loser"])
                for model in self.schema.models
            }
            self._try(lambda: merge(keeper, losers, ActionContext(), choices=choices))

    def delete(self) -> None:
        posts = list(self.schema.post.objects.all())
        if posts:
            self._try(lambda: delete(self.chance.sample(posts, min(len(posts), 2)), ActionContext()))

    def _try(self, action: Any) -> None:
        before = self.rows()
        try:
            self.records += action()
        except MergeRefused as refused:
            assert refused.reasons
            assert self.rows() == before, "a refused action has changed something"

    def undo(self) -> bool:
        if not self.records:
            return False
        record = self.chance.choice(self.records)
        before = self.rows()
        try:
            left = undo(record, None, "default").left
        except (MergeRefused, Conflict) as refused:
            self.said += getattr(refused, "reasons", [str(refused)])
            assert self.rows() == before, "a refused undo has changed something"
            return False
        self.records.remove(record)
        self.said += left
        return True

    def undo_all(self) -> None:
        """Undo what is left, in any order, until nothing more can be undone."""
        failures = 0
        while self.records and failures < 20:
            failures = 0 if self.undo() else failures + 1

    def edit(self) -> None:
        """A person changes, adds or deletes a row."""
        model = self.chance.choice(self._others() or [self.schema.topic])
        rows = list(model.objects.all())
        if not rows:
            return
        row = self.chance.choice(rows)
        label = model._meta.label_lower
        if self.chance.random() < 0.5:
            row.name = f"e{self.chance.randrange(100)}"
            self._save(row)
            self.edited.add((label, row.pk))
            return
        before = self.rows()
        try:
            with transaction.atomic():
                row.delete()
        except (IntegrityError, models.ProtectedError, models.RestrictedError):
            return
        after = self.rows()
        self.edited |= {
            (name, key)
            for name, found in before.items()
            for key, values in found.items()
            if after[name].get(key) != values
        }

    def _wrong_counts(self) -> list[str]:
        """Return topics whose count by triggers is not the number of their rows."""
        found = [
            (topic, self.schema.counted.objects.filter(topic=topic).count())
            for topic in self.schema.topic.objects.all()
        ]
        return [
            f"{topic.name} counts {topic.visits}, not {count}"
            for topic, count in found
            if topic.visits != count
        ]

    def losses(self) -> list[str]:
        """Rows that are not as they were, that nobody has edited, and of whose model nothing was said."""
        after = self.rows()
        lost = self._wrong_counts() if self.schema.triggers else []
        for label, rows in self.before.items():
            verbose = str(apps.get_model(label)._meta.verbose_name)
            if any(verbose.lower() in sentence.lower() for sentence in self.said) or (
                self.with_edits and self.records
            ):
                continue
            lost += [
                f"{label} {key}: {row} is {after[label].get(key)}"
                for key, row in rows.items()
                if (label, key) not in self.edited
                and _without_count(after[label].get(key)) != _without_count(row)
            ]
        return lost
