"""Whatever points at posts, and whatever is done: rows come back equal, or a refusal says why."""

import os

import pytest

from tests.fuzzing import TIMES
from tests.moderation.random_schemas import History, Schema, clear, tables_of

SCHEMAS = int(os.environ.get("SCHEMAS") or 20 * TIMES)
HISTORIES = int(os.environ.get("HISTORIES") or 5)
STEPS = 6

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.hypothesis]


@pytest.mark.parametrize("seed", range(SCHEMAS))
def test_rows_come_back_or_a_refusal_says_why(seed):
    schema = Schema(seed)
    with tables_of(schema):
        for number in range(HISTORIES):
            clear(schema)
            with_edits = number % 2 == 1
            history = History(schema, seed * 1000 + number, with_edits)
            history.run(STEPS)

            assert history.losses() == []
            if not (with_edits or history.records or history.said):
                assert history.rows() == history.before
