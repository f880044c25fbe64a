"""``check_many``: each text as ``find_similar`` sees it, and which earlier ones of the batch it repeats."""

import pytest

import django_neardup as neardup
from django_neardup.comparison import verify
from django_neardup.search import api
from django_neardup.visibility import GroupingError
from tests.pipeline.helpers import CAT, PIANO, PILES, SOFA, SOFA_EDITED, post, work
from tests.search.tools import VISIBLE, edited, only_reading, told
from tests.testapp.models import Ad, ScopedPost

pytestmark = pytest.mark.django_db


def repeats(items, model=Ad, **more):
    return [each.repeats for each in neardup.check_many(items, model, **more)]


def test_matches_are_those_of_each_alone():
    for number in range(12):
        post(edited(number % 4, number))
    post(SOFA, sku="1"), post(PILES.format("С140.35"), published=False)
    work()
    items = [
        *(edited(number % 5, number, 3) for number in range(15)),
        Ad(text=SOFA_EDITED, sku="2"), post(PIANO), "", SOFA, SOFA, Ad(text=PILES.format("С90.30")), "\0\ud800",
    ]  # fmt: skip
    with only_reading():
        checked = neardup.check_many(items, Ad, visible=VISIBLE, limit=3)
    alone = [neardup.find_similar(item, Ad, visible=VISIBLE, limit=3) for item in items]
    assert [told(each.matches) for each in checked] == [told(each) for each in alone]
    assert sum(map(len, alone)) > 10


@pytest.mark.parametrize("indexed", [False, True])
def test_repeats(indexed):
    if indexed:
        post(SOFA)
        work()
    items = [
        SOFA,
        CAT,
        SOFA_EDITED,
        "",
        SOFA.upper(),
        PIANO,
        CAT,
        Ad(text=CAT),
        PILES.format("С1.3"),
        PILES.format("С2.5"),
    ]
    assert repeats(items) == [[], [], [0], [], [0], [], [1], [1], [], []]


def test_identity_has_its_say():
    items = [
        Ad(text=SOFA, sku="1"), Ad(text=SOFA, sku="2"), Ad(text=PIANO, sku="1"), Ad(text=SOFA), Ad(text="", sku="2"),
    ]  # fmt: skip
    assert repeats(items) == [[], [], [0], [0, 1], [1]]


def test_scopes_stand_apart():
    items = [ScopedPost(site=site, text=SOFA) for site in (1, 2, 1)]
    assert repeats(items, ScopedPost) == [[], [], [0]]
    assert repeats([SOFA, SOFA], ScopedPost, scope=[1]) == [[], [0]]
    with pytest.raises(GroupingError):
        repeats([SOFA], ScopedPost)


def test_over_portions(monkeypatch):
    monkeypatch.setattr(api, "BATCH_SIZE", 3)
    post(SOFA)
    work()
    checked = neardup.check_many((text for text in [CAT, SOFA, PIANO, SOFA_EDITED, CAT, "", PIANO]), Ad)
    assert [each.repeats for each in checked] == [[], [], [], [1], [0], [], [2]]
    assert [len(each.matches) for each in checked] == [0, 1, 0, 1, 0, 0, 0]


def test_a_thousand_alike_are_each_compared_once(monkeypatch):
    seen = []
    judge = verify.judge_pair
    monkeypatch.setattr(verify, "judge_pair", lambda *sides: seen.append(sides) or judge(*sides))
    found = repeats(f"{SOFA} Цена {number} ₽." for number in range(1000))
    assert found == [[], *[[0]] * 999] and len(seen) == 999


def test_few_statements():
    for number in range(30):
        post(edited(number, 1))
    work()
    items = [edited(number % 40, 3) for number in range(100)]
    neardup.check_many(items[:1], Ad)
    with only_reading() as queries:
        neardup.check_many(items, Ad)
    # MariaDB reads a hundred buckets at once, and each key has two.
    assert len(queries) < 80


def test_nothing_to_check():
    assert neardup.check_many([], Ad) == []
    with pytest.raises(TypeError, match="a text or an object"):
        neardup.check_many([SOFA, None], Ad)
    with pytest.raises(TypeError, match="list of texts or posts"):
        neardup.check_many(SOFA, Ad)
