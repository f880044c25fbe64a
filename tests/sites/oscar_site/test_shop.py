"""Products and reviews of django-oscar: merged, deleted, and back, with ratings that are right all the time."""

from decimal import Decimal

import pytest
from django.contrib.auth import get_user_model
from django.core.files.base import ContentFile
from oscar.apps.analytics.models import ProductRecord, UserProductView
from oscar.apps.basket.models import Basket
from oscar.apps.catalogue.models import (
    AttributeOption,
    AttributeOptionGroup,
    Category,
    Option,
    Product,
    ProductAttribute,
    ProductAttributeValue,
    ProductClass,
    ProductImage,
    ProductRecommendation,
)
from oscar.apps.catalogue.reviews.models import ProductReview
from oscar.apps.customer.models import ProductAlert
from oscar.apps.offer.models import Condition, Range
from oscar.apps.order.models import Line
from oscar.apps.partner.strategy import Default
from oscar.apps.wishlists.models import WishList
from oscar.test.factories import create_offer, create_order, create_stockrecord

from django_neardup.exceptions import MergeRefused
from django_neardup.moderation import ActionContext, delete, hide, merge, plan_merge
from django_neardup.moderation.undo.restore import undo
from tests.sites.tools import differences, open_pages, rows

pytestmark = pytest.mark.django_db


@pytest.fixture
def users():
    make = get_user_model().objects.create_user
    return [make(name, f"{name}@example.com") for name in ("ann", "bob", "eve")]


@pytest.fixture
def book_class():
    book_class = ProductClass.objects.create(name="Books")
    group = AttributeOptionGroup.objects.create(name="Covers")
    AttributeOption.objects.create(group=group, option="hard")
    for code, kind in (("pages", "integer"), ("cover", "option"), ("covers", "multi_option")):
        ProductAttribute.objects.create(
            name=code,
            code=code,
            type=kind,
            product_class=book_class,
            option_group=group if "option" in kind else None,
        )
    return book_class


@pytest.fixture
def publish(users, book_class):
    """Put a product on sale, with all that a shop keeps of one."""
    category = Category.add_root(name="All")
    offered = Range.objects.create(name="Offered")
    Option.objects.create(name="Gift", code="gift")

    def publish(title, upc=None, score=4, pages=100):
        product = Product(title=title, upc=upc, product_class=book_class, description=f"About {title}")
        product.attr.pages = pages
        product.save()
        product.attr.cover = AttributeOption.objects.get()
        product.save()
        product.categories.add(category)
        product.product_options.add(Option.objects.get())
        create_stockrecord(product, num_in_stock=10, price=Decimal("10.00"), partner_sku=title)
        for number in range(2):
            ProductImage.objects.create(
                product=product,
                original=ContentFile(b"x", name=f"{title}{number}.png"),
                display_order=number,
            )
        review = ProductReview.objects.create(
            product=product, user=users[0], score=score, title=title, body="Good", status=1
        )
        review.vote_up(users[1])
        ProductReview.objects.create(
            product=product, name="x", email="x@example.com", score=1, title="anonymous", body="x", status=1
        )
        basket = Basket.objects.create(owner=users[1])
        basket.strategy = Default()
        basket.add_product(product, quantity=2)
        ordered = Basket.objects.create(owner=users[2])
        ordered.strategy = Default()
        ordered.add_product(product)
        create_order(number=title, basket=ordered, user=users[2])
        wishes = WishList.objects.get_or_create(owner=users[0])[0]
        wishes.add(product)
        offered.add_product(product)
        ProductAlert.objects.create(user=users[0], product=product)
        ProductRecord.objects.get_or_create(product=product)
        UserProductView.objects.create(user=users[0], product=product)
        return Product.objects.get(pk=product.pk)

    return publish


@pytest.fixture
def products(publish):
    """Two products without a code, and a third that recommends the second."""
    keeper, loser = publish("keeper"), publish("loser", score=2, pages=200)
    other = publish("other", upc="123")
    ProductRecommendation.objects.create(primary=other, recommendation=loser)
    return keeper, loser, other


def assert_rated():
    for product in Product.objects.all():
        assert product.rating == product.calculate_rating()
    for review in ProductReview.objects.all():
        assert review.total_votes == review.votes.count()
    assert not any(Category.find_problems())


def assert_came_back(before, *records):
    assert differences(before, rows()) == {}
    assert [record.left for record in records] == [[] for _record in records]
    assert_rated()


def back(record):
    return undo(record, None, "default")


def choices_of(plan, choice="keeper"):
    return {conflict.choice_key: choice for conflict in plan.conflicts}


@pytest.mark.parametrize("choice", ["keeper", "loser"])
def test_a_merge_of_products(products, choice):
    keeper, loser, other = products
    before = rows()

    plan = plan_merge(keeper, [loser], "default")
    assert plan.obstacles == []
    assert {conflict.model for conflict in plan.conflicts} == {ProductReview, ProductAttributeValue}
    assert not any(line.may_grant_rights for line in plan.lines())
    (record,) = merge(keeper, [loser], ActionContext(), choices=choices_of(plan, choice))

    assert_rated()
    assert Line.objects.filter(product=keeper).count() == 2
    assert other.recommended_products.get() == keeper
    assert keeper.stockrecords.count() == 2
    assert Product.objects.get(pk=keeper.pk).attr.pages == (100 if choice == "keeper" else 200)
    assert_came_back(before, back(record))


def test_a_deletion_of_a_product(products):
    _keeper, loser, _other = products
    before = rows()

    (record,) = delete([loser], ActionContext())

    assert_rated()
    assert Line.objects.filter(product=None).count() == 1
    assert_came_back(before, back(record))


def test_values_that_were_taken_go_back(products):
    keeper, _loser, other = products
    before = rows()

    plan = plan_merge(keeper, [other], "default")
    (record,) = merge(
        keeper,
        [other],
        ActionContext(),
        values={"title": other.pk, "upc": other.pk},
        choices=choices_of(plan),
    )

    assert Product.objects.get(pk=keeper.pk).upc == "123"
    assert_came_back(before, back(record))


def test_addresses_are_not_asked_for(products):
    keeper, loser, _other = products

    plan = plan_merge(keeper, [loser], "default")

    assert [column.field.name for column in plan.column_choices] == ["title", "description"]


@pytest.mark.parametrize("act", ["merge", "delete"])
def test_reviews(products, act):
    keeper, loser, _other = products
    keeper, loser = keeper.reviews.first(), loser.reviews.first()
    before = rows()

    plan = plan_merge(keeper, [loser], "default")
    (record,) = (
        merge(keeper, [loser], ActionContext(), choices=choices_of(plan))
        if act == "merge"
        else delete([loser], ActionContext())
    )

    assert_rated()
    assert_came_back(before, back(record))


def test_images_are_in_order(products):
    """``delete()`` of an image numbers the others anew."""
    _keeper, loser, _other = products
    before = rows()

    (record,) = delete([loser.images.first()], ActionContext())
    assert loser.images.get().display_order == 0

    assert_came_back(before, back(record))


def test_a_product_that_is_hidden_is_shown_again(products):
    _keeper, loser, _other = products

    (record,) = hide([loser], ActionContext())
    assert not Product.objects.get(pk=loser.pk).is_public
    back(record)

    assert Product.objects.get(pk=loser.pk).is_public


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
@pytest.mark.parametrize("kind", ["side by side", "chain"])
def test_two_merges_undone_in_both_orders(products, kind, order):
    keeper, one, two = products
    before = rows()
    pairs = [(keeper, one), (keeper, two)] if kind == "side by side" else [(one, two), (keeper, one)]
    records = []
    for target, source in pairs:
        target, source = (Product.objects.get(pk=product.pk) for product in (target, source))
        plan = plan_merge(target, [source], "default")
        records += merge(target, [source], ActionContext(), choices=choices_of(plan))
        assert_rated()

    for number in order:
        records[number] = back(records[number])
        assert_rated()

    assert differences(before, rows()) == {}


def test_what_was_changed_since_stays(products, users):
    keeper, loser, _other = products
    plan = plan_merge(keeper, [loser], "default")
    (record,) = merge(keeper, [loser], ActionContext(), choices=choices_of(plan))
    ProductReview.objects.create(
        product=Product.objects.get(pk=keeper.pk), user=users[2], score=5, title="new", body="new", status=1
    )

    back(record)

    assert keeper.reviews.filter(title="new").exists()
    assert_rated()


def test_children_of_a_product(products, book_class):
    """Sizes of a shirt move with it, and go with it."""
    parents = [
        Product.objects.create(title=title, product_class=book_class, structure="parent") for title in "ab"
    ]
    for parent in parents:
        for size in "SM":
            child = Product.objects.create(title=size, parent=parent, structure="child")
            create_stockrecord(child, num_in_stock=1, partner_sku=f"{parent.title}{size}")
    before = rows()

    (record,) = merge(parents[0], [parents[1]], ActionContext())
    assert parents[0].children.count() == 4
    assert_came_back(before, back(record))
    (record,) = delete([parents[1]], ActionContext())
    assert Product.objects.filter(structure="child").count() == 2
    assert_came_back(before, back(record))


def test_a_child_and_its_parent(products, book_class):
    parent = Product.objects.create(title="a", product_class=book_class, structure="parent")
    child = Product.objects.create(title="S", parent=parent, structure="child")
    before = rows()

    for keeper, loser in ((parent, child), (child, parent)):
        try:
            (record,) = merge(keeper, [loser], ActionContext())
        except MergeRefused as refused:
            assert refused.reasons
            assert rows() == before
        else:
            assert_came_back(before, back(record))


def test_an_offer_takes_its_condition_and_benefit_along(products):
    """A receiver of ``post_delete`` deletes those that no other offer has."""
    offer = create_offer()
    before = rows()

    (record,) = delete([offer], ActionContext())
    assert not Condition.objects.exists()

    assert_came_back(before, back(record))


def test_a_category_is_merged(products):
    keeper, loser = Category.objects.get(), Category.add_root(name="Others")
    loser.add_child(name="Below")
    products[0].categories.add(Category.objects.get(pk=loser.pk))
    before = rows()

    (record,) = merge(keeper, [Category.objects.get(pk=loser.pk)], ActionContext())
    assert_rated()

    assert_came_back(before, back(record))


def test_the_pages_of_the_admin_open(products):
    keeper, loser, _other = products

    open_pages(keeper, loser)
