"""What a statement writes: its table, the condition of its rows, the values of the condition."""

import pytest

from django_neardup.db.write_statements import read_write_statement


@pytest.mark.parametrize(
    ("sql", "values", "operation", "table", "condition", "used"),
    [
        ('DELETE FROM "a" WHERE "a"."id" IN (%s, %s)', (1, 2), "delete", "a", '"a"."id" IN (%s, %s)', [1, 2]),
        ('UPDATE "a" SET "x" = %s, "y" = ("y" - %s) WHERE "id" = %s', (1, 2, 3), "update", "a", '"id" = %s', [3]),
        ("UPDATE `a` SET `x` = (SELECT y FROM b WHERE z = %s) WHERE id = %s", (1, 2), "update", "a", "id = %s", [2]),
        ("update a set x = 1", None, "update", "a", "", []),
        ("DELETE FROM a", None, "delete", "a", "", []),
        ("UPDATE a SET x = 'where %%s' WHERE b = %s RETURNING id", (5,), "update", "a", "b = %s", [5]),
        ("DELETE FROM a WHERE b = %s ORDER BY c LIMIT 1", (5,), "delete", "a", "b = %s", [5]),
        ("UPDATE \"s\".\"a\" SET x = %s WHERE t = '(' AND u = %s", (1, 2), "update", "a", "t = '(' AND u = %s", [2]),
        ("UPDATE a SET where_ = %s WHERE x = %s", (1, 2), "update", "a", "x = %s", [2]),
    ],
)  # fmt: skip
def test_the_condition_of_the_rows(sql, values, operation, table, condition, used):
    statement = read_write_statement(sql, values)

    assert (statement.operation, statement.table, statement.condition.strip()) == (
        operation,
        table,
        condition,
    )
    assert list(statement.parameters) == used


@pytest.mark.parametrize(
    ("sql", "table"),
    [
        ("DELETE `a` FROM `a` INNER JOIN `b` ON a.x = b.x", ""),
        ("UPDATE a SET x = b.x FROM b WHERE a.id = b.id", "a"),
        ("DELETE FROM a USING b WHERE a.id = b.id", "a"),
        ("DELETE FROM a AS c WHERE c.id = 1", "a"),
        ("WITH gone AS (DELETE FROM a RETURNING id) SELECT * FROM gone", ""),
        ("TRUNCATE a", ""),
    ],
)
def test_a_statement_whose_rows_cannot_be_told(sql, table):
    statement = read_write_statement(sql, None)

    assert (statement.table, statement.condition) == (table, None)


@pytest.mark.parametrize(
    "sql",
    [
        "REPLACE INTO a VALUES (1)",
        "INSERT OR REPLACE INTO a VALUES (1)",
        'INSERT INTO "a" ("b") VALUES (%s) ON CONFLICT("b") DO UPDATE SET "b" = EXCLUDED."b"',
        "INSERT INTO `a` (`b`) VALUES (%s) ON DUPLICATE KEY UPDATE `b` = VALUES(`b`)",
    ],
)
def test_insertions_that_change_rows(sql):
    statement = read_write_statement(sql, (1,))

    assert (statement.operation, statement.table) == ("upsert", "a")


@pytest.mark.parametrize("comment", ["/* cron */ ", "-- cron\n", "\n/* a */ -- b\n  "])
def test_a_comment_before_a_statement(comment):
    statement = read_write_statement(f"{comment}DELETE FROM a WHERE b = %s", (1,))

    assert (statement.operation, statement.table) == ("delete", "a")


def test_percent_signs_without_parameters():
    statement = read_write_statement("DELETE FROM a WHERE b LIKE 'x%'", None)

    assert statement.condition.strip() == "b LIKE 'x%%'"


def test_a_statement_with_named_values_is_one_of_them():
    assert read_write_statement("DELETE FROM a WHERE b = %(b)s", {"b": 1}).condition is None


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO a (b) VALUES (%s)",
        "INSERT OR IGNORE INTO `a` VALUES (1)",
        "INSERT INTO a (b) VALUES (%s) ON CONFLICT DO NOTHING",
    ],
)
def test_insertions(sql):
    statement = read_write_statement(sql, (1,))

    assert (statement.operation, statement.table) == ("insert", "a")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1",
        'SAVEPOINT "x"',
        "SELECT a FROM b FOR UPDATE",
        "WITH x AS (SELECT 1) SELECT * FROM x",
        "PRAGMA x",
        "SET x = 1",
    ],
)
def test_statements_that_only_read(sql):
    assert read_write_statement(sql, None) is None
