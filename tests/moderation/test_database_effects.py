"""What the database does by itself is compared too; a change that nothing explains refuses the action."""

import threading
from threading import Thread

import pytest
from django.apps import apps
from django.db import connection, connections, models, transaction
from django.db.models.signals import pre_save

from django_neardup import registry
from django_neardup.adapters import Adapter, register
from django_neardup.exceptions import MergeRefused
from django_neardup.models import MergeRecord
from django_neardup.moderation import ActionContext, delete
from django_neardup.moderation.journal import statement_watch
from tests.moderation.tools import pieces, run, site, undone
from tests.testapp.database_made import DROPPED_TRIGGERS, Tally, Visit, trigger
from tests.testapp.zoo import Cascading, Group, Person, Piece

pytestmark = pytest.mark.django_db(transaction=True)

only_sqlite = pytest.mark.skipif(connection.vendor != "sqlite", reason="only SQLite has virtual tables")
only_mariadb = pytest.mark.skipif(connection.vendor != "mysql", reason="others have transactions everywhere")
not_mariadb = pytest.mark.skipif(
    connection.vendor == "mysql", reason="MariaDB does not tell which tables a transaction has changed"
)


@pytest.fixture
def make():
    """Runs statements, and others after the test."""
    undoing = []

    def run_statements(*statements, then=()):
        undoing[:0] = then
        with connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)

    def add_trigger(event, table, body):
        name = f"{table}_extra{len(undoing)}"
        dropped = DROPPED_TRIGGERS[connection.vendor].format(name=name)
        run_statements(*trigger(connection.vendor, name, event, table, body), then=[dropped])

    run_statements.trigger = add_trigger
    yield run_statements
    # A refused action has rolled back; what is left goes in the opposite order.
    with connection.cursor() as cursor:
        for statement in undoing:
            cursor.execute(statement)


def removed(*posts, **options):
    return delete(posts, ActionContext(**options))


def rows_of_table(table):
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT * FROM {table}")
        return sorted(cursor.fetchall(), key=str)


class TestDerivedRows:
    """A trigger writes rows of its own, as a full-text index does."""

    COLUMNS = "(post integer, words varchar(200))"
    WRITE = {
        "INSERT": "INSERT INTO testapp_words (post, words) VALUES (NEW.id, NEW.text)",
        "DELETE": "DELETE FROM testapp_words WHERE post = OLD.id",
    }

    def index(self, make, table="CREATE TABLE testapp_words (post integer, words varchar(200))"):
        make(table, then=["DROP TABLE testapp_words"])
        for event, body in self.WRITE.items():
            make.trigger(event, "testapp_piece", body)

    @pytest.mark.parametrize("act", ["merge", "delete"])
    def test_a_table_of_no_model_comes_back(self, make, act):
        self.index(make)
        self.come_back(act)

    @only_sqlite
    @pytest.mark.parametrize("act", ["merge", "delete"])
    def test_a_full_text_table_comes_back(self, make, act):
        self.index(make, "CREATE VIRTUAL TABLE testapp_words USING fts5(post, words)")
        self.come_back(act)

    @only_sqlite
    def test_a_full_text_table_over_a_model_comes_back(self, make):
        """Its rows are those of another table, which a trigger keeps, as in Wagtail's index."""
        make(
            "CREATE VIRTUAL TABLE testapp_words USING fts5(name, content='testapp_person', content_rowid='id')",
            then=["DROP TABLE testapp_words"],
        )
        add = "INSERT INTO testapp_words (rowid, name) VALUES ({row}.id, {row}.name)"
        drop = (
            "INSERT INTO testapp_words (testapp_words, rowid, name) VALUES ('delete', {row}.id, {row}.name)"
        )
        make.trigger("INSERT", "testapp_person", add.format(row="NEW"))
        make.trigger("DELETE", "testapp_person", drop.format(row="OLD"))
        make.trigger("DELETE", "testapp_piece", "DELETE FROM testapp_person WHERE name = OLD.code")
        (loser,) = pieces("loser")
        Person.objects.create(name="loser")
        before = site()

        (record,) = removed(loser)
        assert found("loser") == 0
        (record,) = undone(record)

        assert site() == before
        assert record.left == []
        assert found("loser") == 1

    def come_back(self, act):
        keeper, loser = pieces("keeper", "loser")
        before, words_before = site(), rows_of_table("testapp_words")

        (record,) = run(keeper, loser) if act == "merge" else removed(loser)
        assert len(rows_of_table("testapp_words")) == 1
        (record,) = undone(record)

        assert site() == before
        assert record.left == []
        assert len(rows_of_table("testapp_words")) == len(words_before) == 2

    def test_a_row_of_a_model_comes_back_once(self, make):
        """The trigger makes it anew, under another key; a row of somebody else stays."""
        make.trigger("INSERT", "testapp_piece", "INSERT INTO testapp_person (name) VALUES (NEW.code)")
        make.trigger("DELETE", "testapp_piece", "DELETE FROM testapp_person WHERE name = OLD.code")
        keeper, loser = pieces("keeper", "loser")
        before = site()

        for act in (lambda: run(keeper, loser), lambda: removed(loser)):
            (record,) = act()
            assert [person.name for person in Person.objects.all()] == ["keeper"]
            (record,) = undone(record)

            assert site() == before
            assert record.left == []

    def test_a_table_that_only_grows_refuses_nothing(self, make):
        """A trigger keeps a log, as sites do for an audit."""
        make("CREATE TABLE testapp_audit (code varchar(20))", then=["DROP TABLE testapp_audit"])
        make.trigger("DELETE", "testapp_piece", "INSERT INTO testapp_audit (code) VALUES (OLD.code)")
        keeper, loser = pieces("keeper", "loser")
        before = site()

        (record,) = run(keeper, loser)
        assert record.journal["proof"] == "done"
        undone(record)

        assert site() == before
        assert rows_of_table("testapp_audit") == [("loser",)]

    def test_a_table_that_would_lack_rows(self, make):
        """A trigger deletes them, and none writes them again."""
        make(
            "CREATE TABLE testapp_words (post integer, words varchar(200))", then=["DROP TABLE testapp_words"]
        )
        make.trigger("DELETE", "testapp_piece", "DELETE FROM testapp_words WHERE post = OLD.id")
        keeper, loser = pieces("keeper", "loser")
        make(f"INSERT INTO testapp_words VALUES ({loser.pk}, 'boat')")
        before = site()

        with pytest.raises(MergeRefused, match="missing in the table testapp_words"):
            run(keeper, loser)

        assert site() == before
        assert len(rows_of_table("testapp_words")) == 1


def found(word):
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM testapp_words WHERE testapp_words MATCH %s", [word])
        return cursor.fetchone()[0]

    def test_a_row_that_a_trigger_makes_and_the_deletion_takes_along(self, make):
        """The undo makes it once more, under another key."""
        make.trigger("INSERT", "testapp_piece", "INSERT INTO testapp_cascading (piece_id) VALUES (NEW.id)")
        (loser,) = pieces("loser")
        before = site()

        (record,) = removed(loser)
        assert not Cascading.objects.exists()
        (record,) = undone(record)

        assert site() == before
        assert record.left == []

    def test_a_row_that_a_trigger_makes_and_the_merge_moves(self, make):
        """The undo makes it once more before the first goes back."""
        make.trigger("INSERT", "testapp_piece", "INSERT INTO testapp_cascading (piece_id) VALUES (NEW.id)")
        keeper, loser = pieces("keeper", "loser")
        before = site()

        (record,) = run(keeper, loser)
        assert Cascading.objects.filter(piece=keeper).count() == 2
        (record,) = undone(record)

        assert site() == before
        assert record.left == []

    @pytest.mark.skipif(connection.vendor == "sqlite", reason="only one connection writes at a time there")
    def test_a_row_that_somebody_inserts_meanwhile_stays(self, make):
        """A trigger makes rows of that table, but not this one."""
        make.trigger("INSERT", "testapp_piece", "INSERT INTO testapp_group (name) VALUES ('made')")
        make.trigger("DELETE", "testapp_piece", "DELETE FROM testapp_group WHERE name = 'made'")
        keeper, loser = pieces("keeper", "loser")
        (record,) = run(keeper, loser)

        def insert(sender, **kwargs):
            thread = Thread(target=insert_and_close)
            thread.start()
            thread.join()

        def insert_and_close():
            Group.objects.create(name="someone else's")
            connections.close_all()

        pre_save.connect(insert, sender=Piece)
        try:
            undone(record)
        finally:
            pre_save.disconnect(insert, sender=Piece)

        names = sorted(Group.objects.values_list("name", flat=True))
        assert names == ["made", "made", "someone else's"]


class TestRefusalsOfTheDatabase:
    def test_a_trigger_that_forbids_a_deletion(self, make):
        bodies = {
            "sqlite": "SELECT RAISE(ABORT, 'in a parcel')",
            "postgresql": "RAISE EXCEPTION 'in a parcel'",
            "mysql": "SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'in a parcel'",
        }
        make.trigger("DELETE", "testapp_piece", bodies[connection.vendor])
        keeper, loser = pieces("keeper", "loser")

        for act in (lambda: run(keeper, loser), lambda: removed(loser)):
            with pytest.raises(MergeRefused, match="in a parcel"):
                act()
        assert Piece.objects.count() == 2

    @pytest.mark.skipif(connection.vendor == "sqlite", reason="its integers have 64 bits")
    def test_a_sum_out_of_range(self, monkeypatch):
        monkeypatch.setattr(registry, "_registry", {})
        register(Tally)(type("Rules", (Adapter,), {"fields": ["name"], "sum_fields": ["visits"]}))
        one, two = (Tally.objects.create(name=name, visits=2_000_000_000) for name in "ab")

        with pytest.raises(MergeRefused, match="The database refuses"):
            run(one, two)


class TestStepByStep:
    def test_a_trigger_sets_off_another(self, make):
        make.trigger("DELETE", "testapp_piece", "DELETE FROM testapp_person WHERE name = OLD.code")
        make.trigger("DELETE", "testapp_person", "DELETE FROM testapp_tally WHERE name = OLD.name")
        keeper, loser = pieces("keeper", "loser")
        Person.objects.create(name="loser")
        Tally.objects.create(name="loser", visits=7)
        before = site()

        for act in (lambda: run(keeper, loser), lambda: removed(loser)):
            (record,) = act()
            assert not Tally.objects.exists()
            (record,) = undone(record)

            assert site() == before
            assert record.left == []

    @pytest.mark.skipif(connection.vendor == "mysql", reason="MariaDB forbids it")
    def test_a_trigger_changes_other_rows_of_its_own_table(self, make):
        body = "UPDATE testapp_piece SET text = 'first' WHERE code = 'other'"
        make.trigger("DELETE", "testapp_piece", body)
        keeper, loser, other = pieces("keeper", "loser", "other")
        before = site()

        for act in (lambda: run(keeper, loser), lambda: removed(loser)):
            (record,) = act()
            assert Piece.objects.get(pk=other.pk).text == "first"
            (record,) = undone(record)

            assert site() == before
            assert record.left == []

    @pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite has no functions of its own")
    def test_a_trigger_calls_a_function(self, make):
        body = "DELETE FROM testapp_person WHERE name = 'loser'"
        if connection.vendor == "postgresql":
            make(
                f"CREATE FUNCTION testapp_clear() RETURNS void LANGUAGE sql AS $$ {body} $$",
                then=["DROP FUNCTION testapp_clear"],
            )
            make.trigger("DELETE", "testapp_piece", "PERFORM testapp_clear()")
        else:
            make(f"CREATE PROCEDURE testapp_clear() {body}", then=["DROP PROCEDURE testapp_clear"])
            make.trigger("DELETE", "testapp_piece", "CALL testapp_clear()")
        keeper, loser = pieces("keeper", "loser")
        Person.objects.create(name="loser")
        before = site()

        (record,) = run(keeper, loser)
        assert not Person.objects.exists()
        undone(record)

        assert site() == before

    def test_rows_of_a_table_that_is_read_whole_do_not_count(self, make, settings):
        """Only rows that statements name count as changed, so the proof is not left out."""
        make.trigger("DELETE", "testapp_piece", "DELETE FROM testapp_person WHERE name = OLD.code")
        settings.NEARDUP = {"default": {"BACKEND": None, "PROVE_ROWS": 5}}
        Person.objects.bulk_create([Person(name=str(number)) for number in range(10)])
        keeper, loser = pieces("keeper", "loser")

        (record,) = run(keeper, loser)

        assert record.journal["proof"] == "done"

    def test_counters_in_a_large_table(self, make, monkeypatch):
        """Not all of it is read, but the rows that posts point at are."""
        monkeypatch.setattr(statement_watch, "MAX_TABLE_ROWS", 3)
        count = "UPDATE testapp_tally SET visits = visits + 10 WHERE id = OLD.tally_id"
        make.trigger("DELETE", "testapp_visit", count)
        tallies = [Tally.objects.create(name=str(number)) for number in range(6)]
        (loser,) = pieces("loser")
        Visit.objects.create(piece=loser, tally=tallies[2])
        before = site()

        (record,) = removed(loser)
        assert Tally.objects.get(name="2").visits == 10
        (record,) = undone(record)

        assert site() == before
        assert record.left == []


class TestColumnsOfNoField:
    """A table has a column that its model lacks, such as one of a former version: the journal has no value of it."""

    @pytest.fixture(autouse=True)
    def column(self, make):
        make(
            "ALTER TABLE testapp_piece ADD COLUMN former varchar(20) NULL",
            then=["ALTER TABLE testapp_piece DROP COLUMN former"],
        )

    @pytest.mark.parametrize("act", ["merge", "delete"])
    def test_a_value_that_would_not_come_back(self, make, act):
        keeper, loser = pieces("keeper", "loser")
        make("UPDATE testapp_piece SET former = 'x' WHERE code = 'loser'")

        with pytest.raises(MergeRefused, match="missing in the table testapp_piece"):
            run(keeper, loser) if act == "merge" else removed(loser)

        assert Piece.objects.count() == 2

    def test_a_column_without_values(self, make):
        keeper, loser, other = pieces("keeper", "loser", "other")
        make("UPDATE testapp_piece SET former = 'x' WHERE code <> 'loser'")
        loser.friends.add(other)
        Cascading.objects.create(piece=loser)
        before = rows_of_table("testapp_piece")

        for act in (lambda: run(keeper, loser), lambda: removed(loser)):
            (record,) = act()
            (record,) = undone(record)

            assert rows_of_table("testapp_piece") == before
            assert record.left == []


class TestStatementsOfASite:
    """What a model's own ``delete()`` may run besides."""

    def come_back(self, monkeypatch, act, name_after):
        keeper, loser = pieces("keeper", "loser")
        person = Person.objects.create(name="x y")

        def delete_and_act(self, *args, **kwargs):
            models.Model.delete(self, *args, **kwargs)
            act(person)

        monkeypatch.setattr(Piece, "delete", delete_and_act)
        before = site()

        (record,) = run(keeper, loser)
        assert list(Person.objects.values_list("name", flat=True)) == ([name_after] if name_after else [])
        (record,) = undone(record)

        assert site() == before
        assert record.left == []

    def test_an_insert_that_updates(self, monkeypatch):
        unique = {} if connection.vendor == "mysql" else {"unique_fields": ["id"]}

        def act(person):
            changed = [Person(id=person.pk, name="z")]
            Person.objects.bulk_create(changed, update_conflicts=True, update_fields=["name"], **unique)

        self.come_back(monkeypatch, act, "z")

    @pytest.mark.skipif(connection.vendor == "postgresql", reason="it has no REPLACE")
    def test_an_insert_that_replaces(self, monkeypatch):
        sql = "REPLACE INTO testapp_person (id, name) VALUES (%s, 'z')"
        self.come_back(monkeypatch, lambda person: execute(sql, [person.pk]), "z")

    @pytest.mark.parametrize("comment", ["", "/* cron */ "])
    def test_percent_signs_and_comments(self, monkeypatch, comment):
        sql = f"{comment}DELETE FROM testapp_person WHERE name LIKE 'x%'"
        self.come_back(monkeypatch, lambda person: execute(sql), "")

    def test_parameters_that_can_be_read_once(self, monkeypatch):
        def act(person):
            rows = (row for row in [("z", person.pk)])
            with connection.cursor() as cursor:
                cursor.executemany("UPDATE testapp_person SET name = %s WHERE id = %s", rows)

        self.come_back(monkeypatch, act, "z")

    @pytest.mark.skipif(connection.vendor != "postgresql", reason="psycopg composes statements")
    def test_a_composed_statement(self, monkeypatch):
        sql = pytest.importorskip("psycopg.sql")
        statement = sql.SQL("DELETE FROM {}").format(sql.Identifier("testapp_person"))
        self.come_back(monkeypatch, lambda person: execute(statement), "")


def execute(statement, parameters=None):
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)


@pytest.mark.parametrize("act", ["merge", "delete"])
def test_a_view_follows_its_table(make, act):
    """A model without a table of its own, such as one for statistics, points at the posts."""
    make(
        "CREATE VIEW testapp_overview AS SELECT id, piece_id FROM testapp_cascading",
        then=["DROP VIEW testapp_overview"],
    )

    class Overview(models.Model):
        piece = models.ForeignKey(Piece, models.DO_NOTHING, related_name="+", db_constraint=False)

        class Meta:
            app_label = "testapp"
            managed = False

    try:
        keeper, loser = pieces("keeper", "loser")
        Cascading.objects.create(piece=loser)
        before = list(Cascading.objects.values())

        (record,) = run(keeper, loser) if act == "merge" else removed(loser)
        assert Overview.objects.filter(piece_id=keeper.pk).count() == (act == "merge")
        (record,) = undone(record)

        assert list(Cascading.objects.values()) == before
        assert record.left == []
    finally:
        del apps.all_models["testapp"]["overview"]
        apps.clear_cache()


@pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite has one writer at a time")
@pytest.mark.parametrize("is_deleted", [False, True])
def test_what_others_do_meanwhile_is_theirs(make, monkeypatch, is_deleted):
    """The table is read whole, since a trigger names it, and somebody edits a row of it before the commit."""
    make.trigger("DELETE", "testapp_piece", "DELETE FROM testapp_person WHERE name = OLD.code")
    keeper, loser = pieces("keeper", "loser")
    person = Person.objects.create(name="x")
    started = threading.Event()

    def edit():
        started.set()
        rows = Person.objects.filter(pk=person.pk)
        rows.delete() if is_deleted else rows.update(name="edited")
        connections.close_all()

    thread = threading.Thread(target=edit)

    def delete_and_wait(self, *args, **kwargs):
        models.Model.delete(self, *args, **kwargs)
        thread.start()
        started.wait()
        thread.join(0.5)  # It waits for the commit.

    monkeypatch.setattr(Piece, "delete", delete_and_wait)

    (record,) = run(keeper, loser)
    thread.join()
    monkeypatch.undo()
    undone(record)

    assert [person.name for person in Person.objects.all()] == ([] if is_deleted else ["edited"])


class TestNothingShowsWhat:
    def with_delete(self, monkeypatch, act):
        def delete_and_act(self, *args, **kwargs):
            models.Model.delete(self, *args, **kwargs)
            act()

        monkeypatch.setattr(Piece, "delete", delete_and_act)

    @not_mariadb
    def test_a_statement_past_django(self, monkeypatch):
        keeper, loser = pieces("keeper", "loser")
        Person.objects.create(name="x")

        def rename():
            cursor = connection.connection.cursor()
            cursor.execute("UPDATE testapp_person SET name = 'y'")
            cursor.close()

        self.with_delete(monkeypatch, rename)

        for act in (lambda: run(keeper, loser), lambda: removed(loser)):
            with pytest.raises(MergeRefused, match="testapp_person"):
                act()
        assert Person.objects.get().name == "x"
        assert Piece.objects.count() == 2
        assert not MergeRecord.objects.exists()

    @pytest.mark.skipif(
        connection.vendor != "postgresql", reason="only PostgreSQL calls functions that write"
    )
    def test_a_function_that_writes(self, make, monkeypatch):
        make(
            "CREATE FUNCTION testapp_clear() RETURNS void LANGUAGE sql AS $$ DELETE FROM testapp_person $$",
            then=["DROP FUNCTION testapp_clear"],
        )
        keeper, loser = pieces("keeper", "loser")
        Person.objects.create(name="x")

        def clear():
            with connection.cursor() as cursor:
                cursor.execute("SELECT testapp_clear()")

        self.with_delete(monkeypatch, clear)

        with pytest.raises(MergeRefused, match="testapp_person"):
            run(keeper, loser)
        assert Person.objects.exists()

    @not_mariadb
    def test_a_statement_past_django_after_a_watch_of_its_own(self):
        """A recount watches its own statements."""
        Person.objects.create(name="x")

        with transaction.atomic(), statement_watch.watch_statements("default") as watch:
            with statement_watch.watch_statements("default"):
                pass
            cursor = connection.connection.cursor()
            cursor.execute("UPDATE testapp_person SET name = 'y'")
            cursor.close()
            assert watch.unexplained_tables() == {"testapp_person"}

    def test_a_table_of_no_model(self, make, monkeypatch):
        make("CREATE TABLE testapp_old (a integer)", then=["DROP TABLE testapp_old"])
        make("INSERT INTO testapp_old VALUES (1)")
        keeper, loser = pieces("keeper", "loser")

        def clear():
            with connection.cursor() as cursor:
                cursor.execute("DELETE FROM testapp_old")

        self.with_delete(monkeypatch, clear)

        with pytest.raises(MergeRefused, match="missing in the table testapp_old"):
            run(keeper, loser)
        assert rows_of_table("testapp_old") == [(1,)]

    def test_nothing_is_said_of_the_site_s_own_statements(self):
        """A control: what Django does is explained."""
        keeper, loser = pieces("keeper", "loser")
        Visit.objects.create(piece=loser, tally=Tally.objects.create(name="t"))
        keeper.friends.add(loser)

        (record,) = run(keeper, loser)

        assert record.journal["proof"] == "done"


@only_mariadb
@pytest.mark.parametrize("engine", ["MyISAM", "Aria"])
class TestTablesWithoutTransactions:
    def test_rows_that_could_not_be_taken_back(self, make, engine):
        make(
            f"ALTER TABLE testapp_tally ENGINE={engine}",
            then=["ALTER TABLE testapp_tally ENGINE=InnoDB"],
        )
        (loser,) = pieces("loser")
        tally = Tally.objects.create(name="t", visits=0)
        Visit.objects.create(piece=loser, tally=tally)
        before = site()

        with pytest.raises(MergeRefused, match="testapp_tally has no transactions"):
            removed(loser)

        assert site() == before

    @pytest.mark.parametrize("act", ["merge", "delete"])
    def test_related_rows(self, make, engine, act):
        make(
            f"ALTER TABLE testapp_visit ENGINE={engine}",
            then=["ALTER TABLE testapp_visit ENGINE=InnoDB"],
        )
        keeper, loser = pieces("keeper", "loser")
        Visit.objects.create(piece=loser, tally=Tally.objects.create(name="t"))
        before = site()

        with pytest.raises(MergeRefused, match="testapp_visit has no transactions"):
            run(keeper, loser) if act == "merge" else removed(loser)

        assert site() == before
