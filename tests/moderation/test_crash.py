"""A crash at any statement of a deed leaves all or nothing."""

import pytest
from django.db import connection, transaction

from django_neardup.models import MergeRecord
from django_neardup.moderation import ActionContext, delete, hide, merge
from django_neardup.moderation.relations import rows_of
from django_neardup.moderation.undo.restore import undo
from tests import builders
from tests.moderation.population import CLASHING
from tests.moderation.tools import filled, pieces
from tests.testapp import zoo
from tests.testapp.models import Ad, Comment, Tag
from tests.testapp.zoo import Group, Piece

pytestmark = pytest.mark.django_db(transaction=True)


WRITES = ("INSERT", "UPDATE", "DELETE")


class CrashError(BaseException):
    """The process dies here."""


def crashing_at(number, deed):
    """Do it, but fail instead of the statement of that number, counted from the first that writes on; whether the
    deed got through without coming to it.
    """
    statements, is_committed = 0, False

    def note_commit():
        nonlocal is_committed
        is_committed = True

    def count(execute, sql, params, many, context):
        nonlocal statements
        statements += bool(statements) or sql.startswith(WRITES)
        if statements == 1 and not connection.run_on_commit:
            # Before all other callbacks: what they write comes after the action.
            transaction.on_commit(note_commit)
        if statements == number and not is_committed:
            raise CrashError(sql)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(count):
        try:
            deed()
        except CrashError:
            assert not connection.in_atomic_block
            return False
    return True


def state():
    """How many rows every table has that has any, and the rows themselves."""
    counts = filled("testapp", "neardup", "admin")
    return counts, {model: list(rows_of(model, "default").order_by("pk").values()) for model in counts}


@pytest.fixture(
    params=[
        pytest.param((1, False), marks=pytest.mark.long),
        (5, False),
        pytest.param((7, True), marks=pytest.mark.long),
        (23, True),
    ],
    ids=["every statement", "each fifth statement", "with the proof, each seventh", "with the proof"],
)
def crash_everywhere(request, settings):
    """Crash at the first statement, at a later one, and so on until the action gets through. Return their number.

    A proof doubles the statements, and the work is their square.
    """
    step, is_proved = request.param
    settings.NEARDUP = {"default": {"BACKEND": None, "PROVE_UNDO": is_proved}}

    def crash(deed):
        before = state()
        number = 1
        while not crashing_at(number, deed):
            assert state() == before, f"statement {number}"
            number += step
        assert state() != before
        return number

    return crash


def a_group():
    """Adverts with what hangs on them, in a cluster."""
    ads = [Ad.objects.create(text=text, title=text) for text in ("keeper", "one", "two")]
    tag = Tag.objects.create(name="t")
    for ad in ads:
        ad.tags.add(tag), Comment.objects.create(ad=ad, text="c")
    return ads, builders.cluster(*ads)


def a_few(piece):
    """Rows that move, are emptied, fall, take another's key, are there already."""
    group, _ = Group.objects.get_or_create(name="g")
    piece.groups.add(group)
    Piece.objects.create(code=f"child of {piece.code}", parent=piece)
    zoo.Cascading.objects.create(piece=piece), zoo.Remark.objects.create(about=piece)
    passport = zoo.Passport.objects.create(piece=piece, number=piece.code)
    zoo.Stamp.objects.create(passport=passport)


DEEDS = {
    "merge": lambda keeper, losers, case: merge(keeper, losers, case, values={"title": losers[0].pk}),
    "hide": lambda _keeper, losers, case: hide(losers, case),
    "delete": lambda keeper, losers, case: delete(losers, case, keeper=keeper),
}


@pytest.mark.parametrize("act", DEEDS)
def test_posts_with_adapters(act, crash_everywhere):
    (keeper, *losers), cluster = a_group()
    case = ActionContext(cluster_id=cluster.pk, resolves_cluster=True)

    assert crash_everywhere(lambda: DEEDS[act](keeper, losers, case)) > 10
    record = MergeRecord.objects.last()
    assert crash_everywhere(lambda: undo(record, None, "default")) > 10


def test_a_zoo_merged_and_undone(crash_everywhere):
    keeper, loser, last = pieces("keeper", "loser", "last")
    for piece in (keeper, loser):
        a_few(piece)
    choices = dict.fromkeys(CLASHING, "loser")

    crash_everywhere(lambda: merge(keeper, [loser], ActionContext(), choices=choices))
    merge(last, [keeper], ActionContext(), choices=choices)
    record = MergeRecord.objects.first()
    crash_everywhere(lambda: undo(record, None, "default"))

    assert Piece.objects.filter(pk=loser.pk).exists()


def test_a_zoo_deleted_and_undone(crash_everywhere):
    (piece,) = pieces("piece")
    a_few(piece)

    crash_everywhere(lambda: delete([piece], ActionContext()))
    record = MergeRecord.objects.get()
    crash_everywhere(lambda: undo(record, None, "default"))
