"""The keeper's values stand first; others are taken where somebody says so, or where its own is empty."""

from datetime import date
from decimal import Decimal

import pytest
from django.core.files.base import ContentFile
from django.db import models
from django.db.models.signals import pre_save
from django.test.utils import isolate_apps

from django_neardup.exceptions import MergeRefused
from django_neardup.moderation import ActionContext, merge, plan_merge
from django_neardup.moderation.values import choosable_fields
from tests.moderation.tools import snapshot, undone
from tests.testapp.models import Author
from tests.testapp.offers import Offer, Promotion, SpecialOffer
from tests.testapp.zoo import Bulletin

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def media(tmp_path, settings):
    settings.MEDIA_ROOT = tmp_path


def offers(*values):
    return [
        Offer.objects.create(**{"title": f"offer {number}", **each}) for number, each in enumerate(values)
    ]


def columns(keeper, *losers, values=None):
    """What is offered, by column: every value with its owners, and the one that is chosen."""
    plan = plan_merge(keeper, losers, "default", values)
    return {
        column.field.name: (
            [(option.value, [owner.pk for owner in option.owners]) for option in column.options],
            column.chosen_option.value,
        )
        for column in plan.column_choices
    }


def test_what_is_offered():
    expected = ["title", "text", "price", "colour", "sold", "seller", "scan", "slug", "data"]

    assert [field.name for field in choosable_fields(Offer)] == expected
    assert [field.name for field in choosable_fields(SpecialOffer)] == [*expected, "reason"]


def test_a_field_that_stands_for_columns_of_languages_is_not_offered(monkeypatch):
    """With django-modeltranslation, ``title`` is the title of the active language."""
    monkeypatch.setattr(
        Offer._meta.get_field("text"), "translated_field", Offer._meta.get_field("title"), raising=False
    )

    names = [field.name for field in choosable_fields(Offer)]

    assert "text" in names
    assert "title" not in names


@isolate_apps("tests.testapp")
def test_a_slug_is_part_of_an_address_and_not_offered():
    class Page(models.Model):
        title = models.CharField(max_length=10)
        slug = models.SlugField()

        class Meta:
            app_label = "testapp"

    assert [field.name for field in choosable_fields(Page)] == ["title"]


def test_a_unique_value_goes_back_to_a_row_with_columns_that_are_never_null():
    keeper, loser = offers({"slug": "keeper"}, {"slug": "loser"})
    before = snapshot()

    (record,) = merge(keeper, [loser], ActionContext(), values={"slug": loser.pk})
    assert Offer.objects.get().slug == "loser"
    (record,) = undone(record)

    assert record.left == []
    assert snapshot()["testapp.Offer"] == before["testapp.Offer"]


def test_what_is_computed_from_a_value_is_stored_with_it(monkeypatch):
    """A receiver of ``pre_save`` renders a text, and the columns of that save do not name the rendered one."""
    keeper, loser = offers({"text": "keeper", "secret": "KEEPER"}, {"text": "loser", "secret": "LOSER"})
    before = snapshot()

    def render(sender, instance, **kwargs):
        instance.secret = instance.text.upper()

    pre_save.connect(render, sender=Offer)
    try:
        (record,) = merge(keeper, [loser], ActionContext(), values={"text": loser.pk})
        assert Offer.objects.get().secret == "LOSER"
        undone(record)
    finally:
        pre_save.disconnect(render, sender=Offer)

    assert snapshot()["testapp.Offer"] == before["testapp.Offer"]


def test_distinct_values_with_their_owners_the_keepers_first():
    keeper, one, two = offers({"price": 985}, {"price": 960}, {"price": 985})

    found = columns(keeper, one, two)

    assert found["price"] == (
        [(Decimal(985), [keeper.pk, two.pk]), (Decimal(960), [one.pk])], Decimal(985),
    )  # fmt: skip
    assert set(found) == {"title", "price"}


@pytest.mark.parametrize(
    ("name", "own", "others", "chosen"),
    [
        ("text", "keeper", ["loser"], "keeper"),
        ("text", "", ["loser"], "loser"),
        ("text", "", ["loser", "loser"], "loser"),
        ("text", "", ["loser", "another"], ""),
        ("text", "", ["loser", ""], "loser"),
        ("price", None, [Decimal(5)], Decimal(5)),
        ("price", Decimal(0), [Decimal(5)], Decimal(0)),
        ("sold", False, [True], False),
        ("data", {}, [{"a": 1}], {"a": 1}),
        ("scan", "", ["a.pdf"], "a.pdf"),
        ("slug", None, ["loser"], None),
    ],
)
def test_only_an_empty_one_is_filled_and_only_where_the_others_agree(name, own, others, chosen):
    if name == "slug":
        others = others[:1]
    keeper, *losers = offers({name: own}, *({name: other} for other in others))

    assert columns(keeper, *losers)[name][1] == chosen


def test_a_chosen_value_is_taken_by_the_keepers_own_save():
    seller = Author.objects.create(name="seller")
    keeper, loser = offers(
        {"price": 985, "text": "long"}, {"price": 960, "seller": seller, "sold": True, "slug": "vesta"}
    )
    before = Offer.objects.get(pk=keeper.pk)

    merge(keeper, [loser], ActionContext(), {"price": loser.pk, "slug": str(loser.pk), "text": keeper.pk})

    after = Offer.objects.get()
    assert (after.price, after.slug, after.seller, after.text, after.sold) == (
        960,
        "vesta",
        seller,
        "long",
        False,
    )
    assert (after.saves, after.changed) == (before.saves + 1, before.changed)


def test_nothing_to_take_saves_nothing():
    keeper, loser = offers({"price": 985}, {"price": 960})

    merge(keeper, [loser], ActionContext())

    assert Offer.objects.get().saves == keeper.saves


def test_an_empty_value_may_be_chosen_and_kept():
    keeper, loser = offers({"text": ""}, {"text": "loser"})

    merge(keeper, [loser], ActionContext(), {"text": keeper.pk})

    assert Offer.objects.get().text == ""


def test_each_value_is_journalled_with_the_loser_whose_it_was():
    keeper, one, two = offers({}, {"price": 5}, {"text": "two"})

    records = merge(keeper, [one, two], ActionContext())

    moved = [
        [(move["model"], move["field"], move["from"], move["to"]) for move in record.journal["moves"]]
        for record in records
    ]
    assert ("testapp.offer", "price", None, "5.00") in moved[0]
    assert ("testapp.offer", "text", "", "two") in moved[1]


def test_a_childs_values_belong_to_the_table_that_has_the_column():
    keeper, loser = (
        SpecialOffer.objects.create(title=title, price=price, reason=reason)
        for title, price, reason in (("keeper", None, ""), ("loser", 5, "moving"))
    )

    values = plan_merge(keeper, [loser], "default").taken_values
    merge(keeper, [loser], ActionContext())

    assert {(value.model, value.field.name, value.pk) for value in values} == {
        (Offer, "price", keeper.pk), (SpecialOffer, "reason", keeper.pk),
    }  # fmt: skip
    assert (SpecialOffer.objects.get().price, SpecialOffer.objects.get().reason) == (5, "moving")


def test_a_child_with_a_key_of_its_own_has_its_values_in_both_tables():
    for number, office in ((70, ""), (80, "harbour")):
        Bulletin.objects.create(number=number, text=f"text {number}", office=office)
    keeper, loser = Bulletin.objects.order_by("number")

    assert [field.name for field in choosable_fields(Bulletin)] == ["text", "city", "published", "office"]
    (record,) = merge(keeper, [loser], ActionContext(), {"text": loser.pk})

    merged = Bulletin.objects.get()
    assert (merged.pk, merged.notice_id) == (keeper.pk, keeper.notice_id)
    assert (merged.text, merged.office) == ("text 80", "harbour")
    undone(record)
    assert list(Bulletin.objects.order_by("number").values_list("text", "office")) == [
        ("text 70", ""), ("text 80", "harbour"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("stored", "chosen", "reason"),
    [
        ({"colour": "green"}, {"colour": 1}, "Colour: Value 'green' is not a valid choice."),
        ({"title": ""}, {"title": 1}, "Heading: This field cannot be blank."),
        (
            {"scan": "a.exe"},
            {"scan": 1},
            "Scan: File extension “exe” is not allowed. Allowed extensions are: txt, pdf.",
        ),
        ({}, {"secret": 1}, "“secret” cannot be taken from that post."),
        ({}, {"title": 2}, "“title” cannot be taken from that post."),
        ({}, {"pk": 1}, "“pk” cannot be taken from that post."),
        ({}, {"earlier": 1}, "“earlier” cannot be taken from that post."),
    ],
)
def test_a_value_that_does_not_fit_is_refused(stored, chosen, reason):
    keeper, loser = offers({}, stored)
    keys = [keeper.pk, loser.pk, 10**6]
    before = snapshot()

    with pytest.raises(MergeRefused) as caught:
        merge(keeper, [loser], ActionContext(), {name: keys[number] for name, number in chosen.items()})

    assert caught.value.reasons == [reason]
    assert snapshot() == before


def test_a_file_is_taken_where_its_validators_let_it():
    keeper, loser = offers({}, {})
    loser.scan.save("a.txt", ContentFile(b"a"))

    assert plan_merge(keeper, [loser], "default").obstacles == []
    merge(keeper, [loser], ActionContext())

    assert Offer.objects.get().scan.read() == b"a"


def test_a_file_that_is_lost_is_not_taken(monkeypatch):
    monkeypatch.setattr(Offer._meta.get_field("scan"), "validators", [lambda file: file.size])
    keeper, loser = offers({}, {"scan": "gone.txt"})

    plan = plan_merge(keeper, [loser], "default")

    assert plan.obstacles == ["Scan: Its file cannot be read: it may be missing from the storage."]
    assert plan_merge(keeper, [loser], "default", {"scan": keeper.pk}).obstacles == []


def test_a_unique_value_that_a_third_post_has_meanwhile_is_refused(monkeypatch):
    keeper, loser = offers({}, {"slug": "vesta"})
    before = snapshot()
    monkeypatch.setattr(Offer, "delete", lambda self: None)  # as where deletion leaves the row

    with pytest.raises(MergeRefused) as caught:
        merge(keeper, [loser], ActionContext(), {"slug": loser.pk})

    assert caught.value.reasons == ["Slug: Another row has this value, which must be unique."]
    assert snapshot() == before


def test_a_rule_over_several_columns_is_asked_when_the_losers_are_gone():
    keeper, loser, third = offers({"title": "Vesta"}, {"title": "Lada", "colour": "blue"}, {"title": "Lada"})
    before = snapshot()

    with pytest.raises(MergeRefused, match="already exists"):
        merge(keeper, [loser], ActionContext(), {"title": loser.pk})
    assert snapshot() == before

    merge(keeper, [loser], ActionContext(), {"title": loser.pk, "colour": loser.pk})
    assert set(Offer.objects.values_list("title", "colour")) == {("Lada", "blue"), ("Lada", "red")}


@pytest.mark.django_db(databases=["default", "other"])
def test_another_database_is_asked_about_its_own_rows():
    keeper, loser = (Offer.objects.using("other").create(title=title) for title in ("keeper", "loser"))
    Offer.objects.using("other").filter(pk=loser.pk).update(slug="vesta")
    Offer.objects.create(title="here", slug="vesta")
    loser.refresh_from_db()

    merge(keeper, [loser], ActionContext(using="other"), {"slug": loser.pk})

    assert Offer.objects.using("other").get().slug == "vesta"


def test_files_that_nothing_names_any_more():
    keeper, one, two = offers({}, {}, {})
    Offer.objects.get(pk=keeper.pk).scan.save("kept.txt", ContentFile(b"k"))
    for offer, name, size in ((one, "one.txt", 3), (two, "two.txt", 5)):
        offer.scan.save(name, ContentFile(b"x" * size))
    Offer.objects.filter(pk=two.pk).update(scan="gone.txt")
    promotions = [Promotion.objects.create(offer=offer, until=date(2026, 12, 1)) for offer in (keeper, one)]
    promotions[1].scan.save("promotion.txt", ContentFile(b"p"))
    clash = f"testapp.promotion:{promotions[1].pk}:{promotions[0].pk}"

    def files(values=None, choices=None):
        fresh = [Offer.objects.get(pk=each.pk) for each in (keeper, one, two)]
        plan = plan_merge(fresh[0], fresh[1:], "default", values, choices)
        return {(file.name, file.size, file.owner.pk) for file in plan.orphaned_files}

    assert files() == {("one.txt", 3, one.pk), ("gone.txt", None, two.pk)}
    assert files({"scan": one.pk}) == {("gone.txt", None, two.pk)}
    assert ("promotion.txt", 1, promotions[1].pk) in files(choices={clash: "keeper"})
    assert ("promotion.txt", 1, promotions[1].pk) not in files(choices={clash: "loser"})
