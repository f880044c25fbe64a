"""Template families: items of one template are asked about once, and their pairs grow with their number."""

from __future__ import annotations

import random

import pytest

from django_neardup.clustering import choose_family_leader
from django_neardup.models import Document, FamilyMember, Pair
from django_neardup.pipeline import decide, drain, mark
from django_neardup.pipeline.clusters import families
from tests.pipeline.families import family
from tests.pipeline.helpers import PILES, cluster, document, post, snapshot, work
from tests.pipeline.test_machine import assert_sound
from tests.pipeline.test_races import rebuild
from tests.testapp.models import Ad

pytestmark = pytest.mark.django_db(transaction=True)

MODELS = [f"С{length}.{section}" for length in range(40, 140, 10) for section in (25, 30, 35, 40)]


def leader_of(ad):
    row = FamilyMember.objects.filter(document=document(ad)).first()
    return None if row is None else Ad.objects.get(pk=row.leader.object_id)


@pytest.mark.parametrize("one_by_one", [True, False])
def test_items_of_one_template_have_a_pair_each(one_by_one):
    ads = []
    for model in MODELS:
        ads.append(post(PILES.format(model)))
        if one_by_one:
            work()
    work()
    assert {leader_of(ad) for ad in ads[1:]} == {ads[0]} and leader_of(ads[0]) is None
    assert Pair.objects.count() == len(ads) - 1
    assert_sound()


def test_a_repost_of_a_member_is_found():
    ads = [post(PILES.format(model)) for model in MODELS]
    work()
    copy, edited = post(PILES.format(MODELS[17])), post(PILES.format(MODELS[23]) + " Звоните.")
    work()
    assert cluster(copy).leader == document(ads[17]) and cluster(edited).leader == document(ads[23])
    assert leader_of(copy) is None and leader_of(ads[17]) == ads[0]


TOWNS = [
    "Уфа", "Казань", "Самара", "Пермь", "Омск", "Томск", "Тверь", "Тула", "Рязань", "Калуга", "Орёл", "Курск", "Брянск",
    "Псков", "Вологда", "Киров", "Пенза", "Саратов", "Барнаул", "Чита", "Иркутск", "Якутск", "Сочи", "Ростов",
]  # fmt: skip
WINDOWS = (
    "Установка пластиковых окон: замер бесплатно, монтаж за один день, гарантия пять лет, отделка откосов, москитные "
    "сетки в подарок, рассрочка без переплаты, вывоз старых рам и мусора. Работаем с частными домами, квартирами, "
    "дачами и школами, ставим тёплые балконы, раздвижные двери и рольставни. Мастер приедет в удобное время, покажет "
    "образцы профиля, посчитает смету на месте и ответит на вопросы. Работаем в городе {}. Договор, чеки и акты выдаём "
    "сразу, скрытых доплат нет, после монтажа убираем за собой и увозим упаковку."
)


def test_reposts_of_old_members_are_found_behind_full_buckets(settings):
    """Nothing but the town tells the members apart, and the newest of them fill every bucket."""
    ads = [post(WINDOWS.format(town)) for town in TOWNS]
    work()
    members = [ad for ad in ads if leader_of(ad) == ads[0]]
    assert len(members) > 20
    settings.NEARDUP = {"default": {**settings.NEARDUP["default"], "BUCKET": 6}}
    originals = members[:8]
    reposts = []
    for ad in originals:
        reposts.append(post(f"{ad.text} Звоните."))
        work()
    assert [cluster(repost) and cluster(repost).leader for repost in reposts] == [
        document(ad) for ad in originals
    ]
    assert_sound()


@pytest.mark.parametrize("change", ["edit", "hide", "delete", "into a copy"])
def test_members_find_the_next_leader(change):
    first, second, *others = [post(PILES.format(model)) for model in MODELS[:12]]
    elsewhere = post(" ".join(family(1)))
    work()
    if change == "edit":
        first.text = " ".join(family(2))
        first.save()
    elif change == "hide":
        first.published = False
        first.save()
    elif change == "into a copy":
        first.text = elsewhere.text
        first.save()
    else:
        first.delete()
    work()
    assert {leader_of(ad) for ad in others} == {second} and leader_of(second) is None
    assert_sound()


def test_a_hidden_leader_comes_back():
    first, *others = [post(PILES.format(model)) for model in MODELS[:12]]
    work()
    for published in (False, True):
        first.published = published
        first.save()
        work()
    assert {leader_of(ad) for ad in others} == {first}
    assert_sound()


def test_a_group_is_in_a_family_by_its_leader():
    ads = [post(PILES.format(model)) for model in MODELS[:5]]
    copies = [post(PILES.format(MODELS[2])) for _ in range(3)]
    work()
    assert leader_of(ads[2]) == ads[0] and all(leader_of(copy) is None for copy in copies)
    ads[2].delete()
    work()
    assert leader_of(copies[0]) == ads[0]
    assert_sound()


def test_a_decision_same_takes_a_member_out():
    ads = [post(PILES.format(model)) for model in MODELS[:5]]
    work()
    decide("same", [document(ads[0]), document(ads[3])], None, "default")
    assert leader_of(ads[3]) is None and cluster(ads[3]).leader == document(ads[0])
    work()
    assert_sound()


@pytest.mark.parametrize("seed", range(4))
def test_any_order_of_arrival_gives_the_same_families(seed):
    chance = random.Random(seed)
    ads = [Ad(text=PILES.format(model)) for model in [*MODELS[:10], *MODELS[3:6]]]
    Ad.objects.bulk_create(ads)
    ads = list(Ad.objects.order_by("pk"))
    order = chance.sample(ads, len(ads))
    for ad in order:
        ad.save()
        number = ad.pk
        Document.objects.filter(pk=document(ad).pk).update(first_seen=number, text_since=0)
        drain(limit=chance.randrange(1, 3))
    work()
    assert {leader_of(ad) for ad in ads[1:10]} == {ads[0]}
    assert_sound()
    by_events = snapshot()["families"]
    rebuild()
    assert snapshot()["families"] == by_events


@pytest.mark.parametrize("change", ["recheck", "edit"])
def test_a_turn_of_a_member_decides_on_few_others(change, settings, monkeypatch):
    """On those with which it is compared, however large the family is."""
    ads = [post(PILES.format(model)) for model in MODELS]
    work()
    settings.NEARDUP = {"default": {**settings.NEARDUP["default"], "MAX_ALIGNED": 3}}
    chosen = set()

    def choose(graph, node, leaders):
        chosen.add(node)
        return choose_family_leader(graph, node, leaders)

    monkeypatch.setattr(families, "choose_family_leader", choose)
    if change == "edit":
        ads[3].text += " Звоните."
        ads[3].save()
    else:
        mark(ads[3], recheck=True)
    work()
    assert document(ads[3]).pk in chosen and len(chosen) <= 6 < len(ads)
    assert {leader_of(ad) for ad in ads[1:]} == {ads[0]}
    assert_sound()


@pytest.mark.parametrize("seed", range(6))
def test_any_changes_give_the_families_of_a_rebuild(seed):
    chance = random.Random(seed)
    ads = [post(PILES.format(chance.choice(MODELS[:9]))) for _ in range(10)]
    work()
    for _ in range(25):
        ad = chance.choice(ads)
        act = chance.choice(["model", "another text", "recheck", "hide", "show", "delete", "new"])
        if act == "new" or ad.pk is None:
            ads.append(post(PILES.format(chance.choice(MODELS[:9]))))
        elif act == "delete":
            ad.delete()
        elif act == "recheck":
            mark(ad, recheck=True)
        else:
            if act == "model":
                ad.text = PILES.format(chance.choice(MODELS[:9]))
            elif act == "another text":
                ad.text = " ".join(family(chance.randrange(3)))
            ad.published = {"hide": False, "show": True}.get(act, ad.published)
            ad.save()
        if chance.random() < 0.6:
            drain(limit=chance.choice([1, 2, None]))
    work()
    assert_sound()
    by_events = snapshot()["families"]
    rebuild()
    assert snapshot()["families"] == by_events
