"""django-tenants: an action in the schema of one customer leaves equal posts of another untouched."""

import pytest
from django.db import connection
from django_tenants.utils import schema_context

from django_neardup.exceptions import MergeRefused
from django_neardup.models import Document, MergeRecord
from django_neardup.moderation import ActionContext, delete, merge
from django_neardup.moderation.undo.restore import undo
from django_neardup.pipeline import drain
from django_neardup.search import find_similar
from tests.sites.tenants_site.board import models
from tests.sites.tenants_site.customers.models import Customer
from tests.sites.tools import rows

TYRES = "продаю зимние шины почти новые размер 205 на 55 недорого самовывоз из гаража"
HOUSE = "сдаю дачу у озера две комнаты веранда большой сад рядом лес и станция"
SCHEMAS = ("first", "second")


@pytest.fixture(scope="module")
def _schemas(django_db_setup, django_db_blocker):
    with django_db_blocker.unblock():
        for name in SCHEMAS:
            Customer.objects.create(schema_name=name)
        yield
        for customer in Customer.objects.all():
            customer.delete(force_drop=True)


@pytest.fixture(autouse=True)
def _customers(_schemas, db):
    """Each test begins in the schema that all customers share."""
    connection.set_schema_to_public()


def make_posts(*texts, city="a"):
    posts = [models.Post.objects.create(text=text, city=city) for text in texts]
    for post in posts:
        post.tags.add(models.Tag.objects.get_or_create(name="common")[0])
        models.Comment.objects.create(post=post, text="c")
    return posts


def stored(schema):
    """Every row of a customer, those of this app included."""
    with schema_context(schema):
        own = {
            model._meta.label: list(model.objects.order_by("pk").values())
            for model in (Document, MergeRecord)
        }
        return own | rows()


@pytest.mark.parametrize("act", ["merge", "delete"])
def test_equal_keys_in_two_schemas(act):
    posts = {}
    for schema in SCHEMAS:
        with schema_context(schema):
            posts[schema] = make_posts(f"{schema} keeper", f"{schema} loser")
    before = {schema: stored(schema) for schema in SCHEMAS}
    keeper, loser = posts["first"]
    assert [post.pk for post in posts["first"]] == [post.pk for post in posts["second"]]

    with schema_context("first"):
        (record,) = (
            merge(keeper, [loser], ActionContext()) if act == "merge" else delete([loser], ActionContext())
        )
        assert models.Comment.objects.filter(post=keeper).count() == (2 if act == "merge" else 1)
    assert stored("second") == before["second"]
    with schema_context("first"):
        record = undo(record, None, "default")
        assert record.left == []
        assert rows() == {
            label: kept for label, kept in before["first"].items() if not label.startswith("neardup.")
        }

    assert stored("second") == before["second"]


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_merges_in_both_schemas(order):
    records, before = [], {}
    for schema in SCHEMAS:
        with schema_context(schema):
            keeper, loser = make_posts("keeper", "loser")
            before[schema] = rows()
            records += merge(keeper, [loser], ActionContext())

    for number in order:
        with schema_context(SCHEMAS[number]):
            undo(records[number], None, "default")

    for schema in SCHEMAS:
        with schema_context(schema):
            assert rows() == before[schema]


def test_a_refusal():
    with schema_context("first"):
        posts = make_posts("keeper", "loser")
        for post in posts:
            models.Rating.objects.create(post=post, stars=post.pk)
        before = rows()

        with pytest.raises(MergeRefused):
            merge(posts[0], posts[1:], ActionContext())

        assert rows() == before


def test_each_schema_has_an_index_of_its_own():
    """The schemes and spaces that a process remembers have other numbers in another schema."""
    with schema_context("first"):
        make_posts(HOUSE, city="only in the first")
        make_posts(TYRES, TYRES)
        drain()
    with schema_context("second"):
        (house, again) = make_posts(HOUSE, HOUSE)
        drain()
        assert [match.object for match in find_similar(house)] == [again]
        numbers = {"second": list(Document.objects.values_list("space", flat=True))}
    with schema_context("first"):
        tyres = models.Post.objects.filter(text=TYRES).order_by("pk")
        assert [match.object for match in find_similar(tyres[0])] == [tyres[1]]
        assert len(find_similar(models.Post.objects.get(text=HOUSE))) == 0
        drain()
        numbers["first"] = [Document.objects.get(object_id=tyres[0].pk).space_id]
        assert not Document.objects.exclude(state=Document.State.INDEXED).exists()
    assert set(numbers["first"]) != set(numbers["second"])
