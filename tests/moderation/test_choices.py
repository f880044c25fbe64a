"""A place that two rows claim: a person says which of them the keeper has."""

from datetime import date

import pytest

from django_neardup.exceptions import MergeRefused
from django_neardup.moderation import ActionContext, merge, plan_merge
from django_neardup.signals import pre_merge
from tests.moderation.tools import pieces, run, snapshot
from tests.testapp import zoo
from tests.testapp.models import Ad, Author, Favourite
from tests.testapp.offers import Click, Contract, Offer, Promotion, Report
from tests.testapp.zoo import Person

pytestmark = pytest.mark.django_db


@pytest.fixture
def promoted():
    """Three offers, each with a promotion."""
    found = [Offer.objects.create(title=title) for title in ("keeper", "one", "two")]
    for day, offer in enumerate(found, 1):
        Promotion.objects.create(offer=offer, until=date(2026, 12, day))
    return found


def decided(keeper, *losers, **by_loser):
    """A choice for each clash, by the number of its loser."""
    clashes = plan_merge(keeper, losers, "default").conflicts
    return {clash.choice_key: by_loser[f"loser{clash.loser_index}"] for clash in clashes}


def days():
    return [promotion.until.day for promotion in Promotion.objects.order_by("until")]


@pytest.mark.parametrize(("choice", "day"), [("keeper", 1), ("loser", 2)])
def test_the_row_that_was_not_chosen_goes(promoted, choice, day):
    keeper, loser, _ = promoted

    merge(keeper, [loser], ActionContext(), choices=decided(keeper, loser, loser0=choice))

    assert Promotion.objects.get(offer=keeper).until.day == day
    assert days() == [day, 3]


@pytest.mark.parametrize(
    ("first", "second", "day"),
    [("keeper", "keeper", 1), ("loser", "keeper", 2), ("keeper", "loser", 3), ("loser", "loser", 3)],
)
def test_three_claim_one_place(promoted, first, second, day):
    keeper, one, two = promoted

    records = merge(
        keeper, [one, two], ActionContext(), choices=decided(keeper, one, two, loser0=first, loser1=second)
    )

    assert days() == [day]
    gone = [
        {row["fields"]["until"][-1] for row in record.journal["rows"] if row["model"] == "testapp.promotion"}
        for record in records
    ]
    assert set().union(*gone) == {"1", "2", "3"} - {str(day)}
    if day == 3:
        assert "2" in gone[0]


def test_undecided_is_refused_and_names_both_rows(promoted):
    keeper, *losers = promoted
    plan = plan_merge(keeper, losers, "default")
    before = snapshot()

    with pytest.raises(MergeRefused) as caught:
        merge(keeper, losers, ActionContext(), choices={plan.conflicts[0].choice_key: "keeper"})

    assert caught.value.reasons[0] == "1 choice is needed."
    assert snapshot() == before
    assert plan.reasons[0] == "2 choices are needed."
    assert [(str(clash.loser_row), [str(row) for row in clash.holder_rows]) for clash in plan.conflicts] == [
        ("until 2026-12-02", ["until 2026-12-01"]), ("until 2026-12-03", ["until 2026-12-01"]),
    ]  # fmt: skip


def test_a_decision_never_falls_on_another_row(promoted):
    keeper, loser, _ = promoted
    choices = decided(keeper, loser, loser0="loser")
    Promotion.objects.get(offer=keeper).delete()
    Promotion.objects.create(offer=keeper, until=date(2026, 12, 9))

    with pytest.raises(MergeRefused, match="1 choice is needed"):
        merge(keeper, [loser], ActionContext(), choices=choices)


def test_one_word_for_all_clashes_of_a_model():
    keeper, loser = pieces("keeper", "loser")
    for piece in (keeper, loser):
        for name in ("a", "b"):
            zoo.Alias.objects.create(piece=piece, name=name)
    kept = set(zoo.Alias.objects.filter(piece=loser).values_list("pk", flat=True))

    merge(keeper, [loser], ActionContext(), choices={"testapp.alias": "loser"})

    assert set(zoo.Alias.objects.values_list("pk", flat=True)) == kept


@pytest.mark.parametrize("choice", ["", "neither", None])
def test_other_words_decide_nothing(promoted, choice):
    keeper, loser, _ = promoted

    plan = plan_merge(keeper, [loser], "default", choices=decided(keeper, loser, loser0=choice))

    assert len(plan.undecided_conflicts) == 1


@pytest.mark.parametrize(("choice", "owner"), [("keeper", 1), ("loser", 0)])
def test_what_falls_with_the_row_is_journalled_and_what_points_at_it_is_emptied(promoted, choice, owner):
    keeper, loser, _ = promoted
    falls = Promotion.objects.get(offer=promoted[owner])
    click, report = Click.objects.create(promotion=falls), Report.objects.create(promotion=falls)

    (record,) = merge(keeper, [loser], ActionContext(), choices=decided(keeper, loser, loser0=choice))

    rows = {(row["model"], row["pk"]) for row in record.journal["rows"]}
    assert {("testapp.promotion", falls.pk), ("testapp.click", click.pk)} <= rows
    assert not Click.objects.exists()
    report.refresh_from_db()
    assert report.promotion is None
    emptied = [move for move in record.journal["moves"] if move["model"] == "testapp.report"]
    assert [(move["pk"], move["from"], move["to"]) for move in emptied] == [(report.pk, falls.pk, None)]


def test_rows_by_their_own_deletion(promoted, monkeypatch):
    keeper, loser, _ = promoted
    told = []
    original = Promotion.delete

    def delete(self, *args, **kwargs):
        told.append(self.until.day)
        return original(self, *args, **kwargs)

    monkeypatch.setattr(Promotion, "delete", delete)
    merge(keeper, [loser], ActionContext(), choices=decided(keeper, loser, loser0="loser"))

    assert told == [1]


@pytest.mark.parametrize(("choice", "owner"), [("keeper", 1), ("loser", 0)])
def test_a_protected_row_stays_a_reason(promoted, choice, owner):
    keeper, loser, _ = promoted
    Contract.objects.create(promotion=Promotion.objects.get(offer=promoted[owner]))
    before = snapshot()

    with pytest.raises(MergeRefused, match="protects it from deletion"):
        merge(keeper, [loser], ActionContext(), choices=decided(keeper, loser, loser0=choice))

    assert snapshot() == before


@pytest.mark.parametrize(("choice", "number"), [("keeper", "k"), ("loser", "l")])
def test_a_key_that_is_the_posts(choice, number):
    keeper, loser = pieces("keeper", "loser")
    for piece in (keeper, loser):
        passport = zoo.Passport.objects.create(piece=piece, number=piece.code[0])
        zoo.Stamp.objects.create(passport=passport)

    merge(keeper, [loser], ActionContext(), choices=decided(keeper, loser, loser0=choice))

    passport = zoo.Passport.objects.get()
    assert (passport.pk, passport.number) == (keeper.pk, number)
    assert zoo.Stamp.objects.get().passport == passport


def test_posts_of_the_same_model_are_no_rows_to_choose_from():
    keeper, loser, one, two = pieces("keeper", "loser", "one", "two")
    zoo.Piece.objects.filter(pk=one.pk).update(twin=keeper)
    zoo.Piece.objects.filter(pk=two.pk).update(twin=loser)

    plan = plan_merge(keeper, [loser], "default", choices={"testapp.piece": "loser"})

    assert plan.conflicts == []
    assert [reason.split(" “")[0] for reason in plan.obstacles] == [f"Piece {two.pk}"]


def test_marks_that_only_join_are_spare():
    keeper, loser = (Ad.objects.create(text=text) for text in ("keeper", "loser"))
    both, one = Author.objects.create(name="both"), Author.objects.create(name="one")
    kept = Favourite.objects.create(ad=keeper, author=both)
    spare, moved = (Favourite.objects.create(ad=loser, author=author) for author in (both, one))

    record = run(keeper, loser)[0]

    assert list(Favourite.objects.order_by("pk").values_list("pk", "ad")) == [
        (kept.pk, keeper.pk), (moved.pk, keeper.pk),
    ]  # fmt: skip
    assert ("testapp.favourite", spare.pk) in {(row["model"], row["pk"]) for row in record.journal["rows"]}


def test_spare_by_a_rule_of_the_table():
    keeper, loser = pieces("keeper", "loser")
    person = Person.objects.create(name="a")
    for piece in (keeper, loser):
        zoo.Rating.objects.create(piece=piece, person=person)

    run(keeper, loser)

    assert zoo.Rating.objects.get().piece == keeper


def test_lines_in_words(promoted):
    keeper, one, _ = promoted
    author = Author.objects.create(name="a")
    ads = [Ad.objects.create(text=text) for text in ("keeper", "loser")]
    for ad in ads:
        Favourite.objects.create(ad=ad, author=author)
    zoo.Remark.objects.create(about=one)

    def lines(plan):
        return [
            (line.relation_label, line.row_count, line.moved_count, line.removed_count, line.sentences)
            for line in plan.lines()
        ]

    assert lines(plan_merge(ads[0], ads[1:], "default")) == [
        (
            "favourite.ad, unique together: ad and author", 1, 0, 1,
            ["The keeper already has 1: the extra one is deleted."],
        ),
    ]  # fmt: skip
    assert lines(plan_merge(keeper, [one], "default")) == [
        ("promotion.offer, one to one", 1, 0, 1, []),
        ("remark.key, any model (generic)", 1, 1, 0, ["It moves."]),
    ]
    choices = decided(keeper, one, loser0="loser")
    assert lines(plan_merge(keeper, [one], "default", choices=choices))[0] == (
        "promotion.offer, one to one", 1, 1, 0, ["It moves.", "1 of the keeper is deleted, as chosen."],
    )  # fmt: skip


def test_who_hears_of_a_merge_beforehand_may_refuse_it(promoted):
    keeper, loser, _ = promoted
    heard = []

    def listen(sender, keeper, losers, plan, using, **kwargs):
        heard.append(
            (
                sender,
                keeper.pk,
                [each.pk for each in losers],
                [clash.choice for clash in plan.conflicts],
                using,
            )
        )
        raise MergeRefused(["not on a Sunday"])

    before, choices = snapshot(), decided(keeper, loser, loser0="keeper")
    pre_merge.connect(listen)
    try:
        with pytest.raises(MergeRefused, match="not on a Sunday"):
            merge(keeper, [loser], ActionContext(), choices=choices)
    finally:
        pre_merge.disconnect(listen)

    assert heard == [(Offer, keeper.pk, [loser.pk], ["keeper"], "default")]
    assert snapshot() == before


def test_the_adapter_tells_the_author_after_the_commit(monkeypatch, django_capture_on_commit_callbacks):
    from tests.testapp.neardup import AdNeardup

    keeper, loser = (Ad.objects.create(text=text) for text in ("keeper", "loser"))
    key, told = loser.pk, []
    monkeypatch.setattr(
        AdNeardup, "merged", lambda self, *args: told.append([args[0].pk, args[1].pk, args[2].loser_id])
    )

    with django_capture_on_commit_callbacks() as callbacks:
        run(keeper, loser)
    assert told == []
    for callback in callbacks:
        callback()

    assert told == [[key, keeper.pk, str(key)]]
