"""Who may do what: a person, an outcome, an object; asked before the page and again at the click."""

import pytest
from django.test import Client

from django_neardup.models import Cluster
from tests import builders
from tests.admin.tools import OUTCOMES, fields, look, page_of, url_of
from tests.moderation.tools import snapshot
from tests.testapp.models import Ad, Article, Author, Comment, Favourite, LongArticle, Statistics, Tag

pytestmark = [pytest.mark.django_db, pytest.mark.engine_alike]

REVIEW, MERGE, VIEW = "neardup.review", "neardup.merge_cluster", "neardup.view_cluster"
CHANGE, DELETE = "testapp.change_ad", "testapp.delete_ad"


def comments(keeper, loser):
    Comment.objects.create(ad=loser, text="c")


def statistics(keeper, loser):
    Statistics.objects.create(ad=loser)


def favourites(keeper, loser):
    Favourite.objects.create(ad=loser, author=Author.objects.create(name="a"))


def tags(keeper, loser):
    for ad in (keeper, loser):
        ad.tags.add(Tag.objects.get_or_create(name="t")[0])


def nothing(keeper, loser):
    pass


def guarded_loser(keeper, loser):
    Ad.objects.filter(pk=loser.pk).update(phone="house")


def guarded_keeper(keeper, loser):
    Ad.objects.filter(pk=keeper.pk).update(phone="house")


def unlisted_loser(keeper, loser):
    Ad.objects.filter(pk=loser.pk).update(sku="secret")


def unlisted_keeper(keeper, loser):
    Ad.objects.filter(pk=keeper.pk).update(sku="secret")


MATRIX = [
    # outcome, permissions, what else there is, may it be done
    ("leave", [REVIEW], nothing, True),
    ("leave", [REVIEW], guarded_loser, True),
    ("leave", [MERGE], nothing, False),
    ("leave", [VIEW, CHANGE, DELETE], nothing, False),
    ("hide", [REVIEW], nothing, False),
    ("hide", [REVIEW, DELETE], nothing, False),
    ("hide", [CHANGE], nothing, False),
    ("hide", [VIEW, CHANGE], nothing, True),
    ("hide", [REVIEW, CHANGE], comments, True),
    ("hide", [REVIEW, CHANGE], guarded_loser, False),
    ("hide", [REVIEW, CHANGE], guarded_keeper, True),
    ("hide", [REVIEW, CHANGE], unlisted_loser, False),
    ("delete", [REVIEW], nothing, False),
    ("delete", [REVIEW, CHANGE], nothing, False),
    ("delete", [DELETE], nothing, False),
    ("delete", [VIEW, DELETE], nothing, True),
    ("delete", [VIEW, DELETE], tags, True),
    ("delete", [VIEW, DELETE], comments, False),
    ("delete", [VIEW, DELETE, "testapp.delete_comment"], comments, True),
    ("delete", [VIEW, DELETE], favourites, True),  # not in the admin
    ("delete", [VIEW, DELETE], guarded_loser, False),
    ("delete", [VIEW, DELETE], guarded_keeper, True),
    ("delete", [VIEW, DELETE], unlisted_loser, False),
    ("merge", [REVIEW, CHANGE, DELETE], nothing, False),
    ("merge", [MERGE], nothing, False),
    ("merge", [MERGE, CHANGE], nothing, False),
    ("merge", [MERGE, DELETE], nothing, False),
    ("merge", [CHANGE, DELETE, VIEW], nothing, False),
    ("merge", [MERGE, CHANGE, DELETE], nothing, True),
    ("merge", [MERGE, CHANGE, DELETE], tags, True),
    ("merge", [MERGE, CHANGE, DELETE], comments, False),
    ("merge", [MERGE, CHANGE, DELETE, "testapp.change_comment"], comments, True),
    ("merge", [MERGE, CHANGE, DELETE, "testapp.delete_comment"], comments, False),
    ("merge", [MERGE, CHANGE, DELETE], statistics, True),  # not in the admin
    ("merge", [MERGE, CHANGE, DELETE], guarded_loser, False),
    ("merge", [MERGE, CHANGE, DELETE], guarded_keeper, False),
    ("merge", [MERGE, CHANGE, DELETE], unlisted_loser, False),
    ("merge", [MERGE, CHANGE, DELETE], unlisted_keeper, False),
]


@pytest.mark.parametrize(
    ("outcome", "names", "extra", "allowed"),
    MATRIX,
    ids=lambda value: "+".join(value) if isinstance(value, list) else getattr(value, "__name__", str(value)),
)
@pytest.mark.parametrize("kind", ["cluster", "pair"])
def test_matrix(kind, outcome, names, extra, allowed, person, root, ads):
    keeper, loser = ads("сегодня", "завтра")
    extra(keeper, loser)
    if kind == "cluster":
        source = builders.cluster(keeper, loser)
    else:
        source = builders.pair(keeper, loser, "variant")
        names = [name.replace("view_cluster", "view_pair") for name in names]
    seen = fields(look(root, outcome, source))
    client, before = person(*names), snapshot()

    answer = client.post(url_of(source, outcome), seen)

    assert answer.status_code == (302 if allowed else 403)
    assert (snapshot() != before) is allowed
    page = look(client, outcome, source) if not allowed else None
    if page is not None and page.status_code == 200:
        assert "You do not have the permission" in page.content.decode()
        assert f">{page.context['outcome'].title}</button>" not in page.content.decode()


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_strangers_are_sent_to_the_door(outcome, person, root, cluster):
    seen = fields(look(root, outcome, cluster))
    everything = (REVIEW, MERGE, VIEW, CHANGE, DELETE)
    before = snapshot()

    for client in (Client(), person(*everything, staff=False)):
        for answer in (client.post(url_of(cluster, outcome), seen), client.get(page_of(cluster))):
            assert answer.status_code == 302
            assert "/login/" in answer.url
    assert {**snapshot(), "auth.User": None} == {**before, "auth.User": None} or _same(before, snapshot())


def _same(before, after):
    """Equal but for the people that the test itself has made."""
    return all(before[label] == rows for label, rows in after.items() if not label.startswith("auth."))


def test_permissions_are_asked_again_at_the_click(person, cluster):
    client = person(REVIEW, CHANGE)
    seen = look(client, "hide", cluster)
    assert seen.status_code == 200
    client.user.user_permissions.clear()
    before = snapshot()

    assert client.post(url_of(cluster, "hide"), fields(seen)).status_code == 403
    assert snapshot() == before


@pytest.mark.parametrize(
    ("names", "offered"),
    [
        ((REVIEW,), ["leave", "hide", "delete"]), ((MERGE,), ["hide", "merge", "delete"]),
        ((VIEW, "neardup.view_pair"), ["hide", "delete"]), ((REVIEW, MERGE), [*OUTCOMES]),
    ],
)  # fmt: skip
def test_pages_offer_what_the_person_may_begin(names, offered, person, cluster, ads):
    client = person(*names)

    for source in (cluster, builders.pair(*ads("утром", "ночью"), "variant")):
        text = client.get(page_of(source)).content.decode()

        assert [outcome for outcome in OUTCOMES if f'action="{url_of(source, outcome)}"' in text] == offered


def test_what_a_person_may_not_see_is_not_told(person, ads):
    keeper, loser = ads("сегодня", "тайное")
    Ad.objects.filter(pk=loser.pk).update(sku="secret", published=False)
    cluster = builders.cluster(keeper, loser)
    client = person(REVIEW, MERGE, CHANGE, DELETE)

    pages = [client.get(page_of(cluster)), *(look(client, outcome, cluster) for outcome in OUTCOMES)]

    for page in pages:
        assert page.status_code == 200
        assert "тайное" not in page.content.decode()
        assert "no access" in page.content.decode()


def test_reasons_are_told_to_those_who_lack_nothing(person, ads):
    keeper, loser = ads("сегодня", "завтра")
    for ad in (keeper, loser):
        Statistics.objects.create(ad=ad)
    cluster = builders.cluster(keeper, loser)

    page = look(person(MERGE, CHANGE, DELETE), "merge", cluster).content.decode()

    assert "change: statisticss" in page
    assert "the keeper has one" not in page


def test_an_admin_of_the_site_may_ask_for_more(root, person, cluster, monkeypatch):
    from tests.testapp.admin import AdAdmin

    monkeypatch.setattr(
        AdAdmin,
        "get_deleted_objects",
        lambda self, objs, request: ([], {"ads": 2}, {"secrets"}, []),
        raising=False,
    )
    seen = look(root, "delete", cluster)

    assert "secrets" in seen.content.decode()
    assert root.post(url_of(cluster, "delete"), fields(seen)).status_code == 403
    assert Cluster.objects.get().state == Cluster.State.OPEN


@pytest.mark.parametrize(("names", "status"), [((), 403), (("testapp.delete_longarticle",), 302)])
def test_what_a_post_is_as_a_child_goes_by_the_hand_of_those_who_may_delete_it(root, person, names, status):
    for source in ("keeper", "loser"):
        LongArticle.objects.create(text="Продам сваи длиной 14 м", source=source)
    cluster = builders.cluster(*Article.objects.order_by("pk"))
    client = person(MERGE, "testapp.change_article", "testapp.delete_article", *names)

    answer = client.post(url_of(cluster, "merge"), fields(look(root, "merge", cluster)))

    assert answer.status_code == status
    assert LongArticle.objects.count() == (1 if status == 302 else 2)
