"""What the journal keeps comes back to the last digit."""

import json
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from uuid import UUID

import pytest
from django.db.models import JSONField, Value

from django_neardup.models import Document, Space
from django_neardup.moderation import ActionContext, delete, merge
from django_neardup.moderation.journal.serialization import (
    deserialize_value,
    is_same_value,
    serialize_value,
)
from django_neardup.pipeline import drain, mark
from tests.moderation.tools import run, site, undone
from tests.testapp.models import Ad
from tests.testapp.zoo import Sealed

pytestmark = pytest.mark.django_db

VALUES = {
    "at": datetime(2026, 11, 3, 12, 0, 0, 123456, UTC),
    "day": date(1, 1, 1),
    "hour": time(23, 59, 59, 999999),
    "span": timedelta(days=-3, microseconds=1),
    "price": Decimal("12345.0000001"),
    "share": 0.1 + 0.2,
    "number": -(2**63),
    "bytes": b"\x00\xff'\\",
    "data": {"б": [1, 2.5, None, True, "\u2028", {"x": "2026-11-03T12:00:00.123456"}]},
    "always": "2026",
    "mark": UUID("00000000-0000-4000-8000-00000000000a"),
    "address": "2001:db8::1",
    "scan": "ads/скан.pdf",
    "words": "Ёлка \U0001f384 'x' \\ \r\n\t",
}


def stored(**values):
    sealed = Sealed.objects.create()
    Sealed.objects.filter(pk=sealed.pk).update(**values)
    return Sealed.objects.get(pk=sealed.pk)


@pytest.mark.parametrize("name", VALUES)
def test_a_value_goes_into_json_and_comes_back(name):
    field = Sealed._meta.get_field(name)
    value = field.value_from_object(stored(**{name: VALUES[name]}))

    kept = json.loads(json.dumps(serialize_value(field, value)))

    found = deserialize_value(field, kept)
    assert bytes(found) == VALUES[name] if name == "bytes" else found == VALUES[name]
    assert is_same_value(field, kept, serialize_value(field, value))


@pytest.mark.parametrize("name", [None, *VALUES])
@pytest.mark.parametrize("act", ["merge", "delete", "taken"])
def test_rows_come_back_as_they_were(act, name):
    keeper, loser = stored(always=1), stored(**({} if name is None else {name: VALUES[name]}))
    before = site()

    if act == "delete":
        (record,) = delete([loser], ActionContext())
    else:
        values = {name: loser.pk} if act == "taken" and name not in (None, "bytes") else None
        (record,) = merge(keeper, [loser], ActionContext(), values=values)
    assert not Sealed.objects.filter(pk=loser.pk).exists()
    undone(record)

    assert site() == before


@pytest.mark.parametrize("number", [1e-320, 1.7976931348623157e308, -0.0, 1 / 3])
def test_floats(number):
    field = Sealed._meta.get_field("share")

    assert repr(deserialize_value(field, json.loads(json.dumps(serialize_value(field, number))))) == repr(
        number
    )


def test_a_null_of_json_in_a_column_that_may_not_be_empty():
    keeper, loser = stored(always=1), stored(always=Value(None, JSONField()))

    undone(*run(keeper, loser))

    assert Sealed.objects.filter(pk=loser.pk, always=Value(None, JSONField())).exists()


def test_an_empty_file_column_stays_empty():
    keeper, loser = stored(), stored(scan=None)

    undone(*run(keeper, loser))

    assert Sealed.objects.filter(pk=loser.pk, scan=None).exists()


def test_dates_that_set_themselves_stay():
    long_ago = datetime(2001, 2, 3, 4, 5, 6, 789012, UTC)
    keeper, loser = stored(made=long_ago, changed=long_ago), stored(made=long_ago, changed=long_ago)

    undone(*run(keeper, loser))

    loser.refresh_from_db()
    assert (loser.made, loser.changed) == (long_ago, long_ago)


def test_columns_that_the_site_has_dropped_or_added_since_do_no_harm():
    keeper, loser = stored(words="keeper"), stored(words="loser")
    (record,) = run(keeper, loser)
    fields = record.journal["rows"][0]["fields"]
    del fields["price"]
    fields["dropped"] = 1
    record.journal["moves"].append(
        {"model": "testapp.sealed", "pk": str(keeper.pk), "field": "dropped", "from": 1, "to": 2}
    )
    record.journal["rows"].append({"model": "testapp.dropped", "pk": 1, "fields": {}})
    record.save()

    (record,) = undone(record)

    assert Sealed.objects.get(pk=loser.pk).words == "loser"
    assert record.left == []


def test_an_undo_locks_the_spaces_of_posts_whose_documents_are_gone():
    keeper, loser = (
        Ad.objects.create(text=text)
        for text in ("продаю зимние шины почти новые", "отдам кресло из дуба даром")
    )
    for ad in (keeper, loser):
        mark(ad)
    drain()
    (space,) = Space.objects.all()
    (record,) = run(keeper, loser)
    Document.objects.all().delete()
    lock = Space.objects.get(pk=space.pk).lock

    undone(record)

    assert record.journal["spaces"] == [space.pk]
    assert Space.objects.get(pk=space.pk).lock == lock + 1


@pytest.mark.parametrize("act", ["merge", "delete"])
def test_columns_are_stored_and_not_attributes(monkeypatch, act):
    """The attribute of a translated field gives the text of the active language."""

    class InCapitals:
        def __get__(self, instance, owner):
            return self if instance is None else instance.__dict__["words"].upper()

        def __set__(self, instance, value):
            instance.__dict__["words"] = value

    keeper, loser = stored(words="k"), stored(words="Words")
    before = site()
    monkeypatch.setattr(Sealed, "words", InCapitals())

    (record,) = run(keeper, loser) if act == "merge" else delete([loser], ActionContext())
    (record,) = undone(record)

    assert site() == before
    assert record.left == []
