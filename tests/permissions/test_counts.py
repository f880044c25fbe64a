"""Numbers count only spaces and posts that the person may see: on the site's own lists, and in a preview."""

import pytest
from django.urls import reverse

from django_neardup import registry
from django_neardup.admin import pending_by_post
from django_neardup.models import Pair, Space
from django_neardup.pipeline.open_items import rebuild_open_items
from tests import builders
from tests.admin.test_lists import counts
from tests.permissions.people import Person
from tests.permissions.site import TenantNeardup
from tests.pipeline.helpers import work
from tests.testapp.models import Ad

pytestmark = [
    pytest.mark.django_db, pytest.mark.engine_alike, pytest.mark.urls("tests.permissions.site"),
]  # fmt: skip

LIST = "/admin/testapp/ad/"
FOOTER = (
    "Доставка по городу и области в день заказа, самовывоз со склада на улице Заводской. Гарантия двенадцать месяцев, "
    "обмен и возврат в течение двух недель без вопросов, оплата наличными или картой."
)


@pytest.fixture(autouse=True)
def _tenants(monkeypatch):
    monkeypatch.setitem(registry._registry, Ad, TenantNeardup(Ad))


@pytest.fixture
def spaces():
    made = [
        Space.objects.create(
            digest=tenant * 32, profile="default", labels="testapp.ad", scope=f'["{tenant}"]'
        )
        for tenant in "12"
    ]
    return dict(zip("12", made, strict=True))


def ad(title, standing="plain", tenant="1"):
    text = f"Продам сваи железобетонные С140.35 длиной 14 м, {title}"
    return Ad.objects.create(title=title, text=text, phone=standing, sku=tenant)


def column(client):
    """The numbers of similar posts on the list of adverts, by title."""
    rows = client.get(LIST).context["cl"].result_list
    return {row.title: str(row.neardup_pending.similar_count) for row in rows if row.neardup_pending}


class TestLists:
    def test_members_and_pairs_that_are_not_seen_are_not_counted(self, spaces):
        one, two, barred, three = ad("а"), ad("б"), ad("в", "barred"), ad("г")
        Ad.objects.filter(pk=barred.pk).update(published=False)
        builders.cluster(one, two, barred, space=spaces["1"])
        builders.pair(two, three, "variant", space=spaces["1"])
        builders.pair(barred, three, "variant", space=spaces["1"])
        numbers = column(Person("change", "1").signed_in())
        assert numbers == {"а": "1", "б": "2", "в": "3", "г": "1"}
        assert column(Person("super", "1").signed_in()) == {"а": "2", "б": "3", "в": "3", "г": "2"}

    def test_the_link_on_the_page_of_a_post_says_the_same(self, spaces):
        one, barred = ad("а"), ad("б", "barred")
        Ad.objects.filter(pk=barred.pk).update(published=False)
        builders.cluster(one, barred, space=spaces["1"])
        page = f"{LIST}{one.pk}/change/"
        assert "similar post" not in Person("change", "1").signed_in().get(page).content.decode()
        assert "1 similar post" in Person("super", "1").signed_in().get(page).content.decode()

    def test_the_rest_of_a_large_group_is_not_asked_about(self, spaces, monkeypatch):
        monkeypatch.setattr(pending_by_post, "MAX_COUNTED_MEMBERS", 3)
        posts = [ad(f"п{number}") for number in range(6)]
        builders.cluster(*posts[:4], space=spaces["1"])
        client = Person("change", "1").signed_in()
        assert set(column(client).values()) == {"3"}
        builders.cluster(ad("р0"), ad("р1"), *posts[4:], ad("р2"), space=spaces["1"])
        numbers = column(client)
        assert {numbers["р0"], numbers["р2"], numbers["п5"]} == {"3+"}

    def test_a_space_that_is_not_seen_counts_for_nothing(self, spaces):
        # The ModelAdmin lists these posts. They are compared in a space of another tenant.
        grouped, other, paired, last = (ad(title) for title in "абвг")
        builders.cluster(grouped, other, space=spaces["2"])
        builders.pair(paired, last, "variant", space=spaces["2"])
        own = builders.cluster(ad("д"), ad("е"), space=spaces["1"])
        client = Person("change", "1").signed_in()
        assert column(client) == {"д": "1", "е": "1"}
        page = client.get(LIST, {"_facets": "True"})
        assert list(counts(page, "near-duplicates").values()) == [2, 2, 4, 6]
        assert len(client.get(LIST, {"neardup": "waiting"}).context["cl"].result_list) == 2
        answer = client.post(
            LIST, {"action": "neardup_hide", "_selected_action": [grouped.pk, paired.pk]}, follow=True
        )
        assert "Nothing to review for the selected posts." in answer.content.decode()
        everything = {
            "action": "neardup_hide",
            "_selected_action": list(Ad.objects.values_list("pk", flat=True)),
        }
        assert client.post(LIST, everything).url.partition("?id=")[2].startswith(f"c{own.pk}&ticked")
        boss = Person("super", "1").signed_in().get(LIST, {"_facets": "True"})
        assert list(counts(boss, "near-duplicates").values()) == [6, 4, 0, 6]


class TestPreview:
    """A passage that staff write: its numbers tell whether posts hold it."""

    @pytest.fixture
    def items(self):
        for tenant, titles in (
            ("1", ("Дрель ударная", "Пила циркулярная", "Доска строганая")),
            ("2", ("Лопата", "Грабли")),
        ):
            for title in titles:
                Ad.objects.create(title=title, text=f"{title} в наличии. {FOOTER}", sku=tenant)
        work()
        rebuild_open_items("default")
        assert {pair.verdict for pair in Pair.objects.all()} == {"variant"}

    def preview(self, kind, tenants):
        url = reverse("admin:neardup_ignoredpassage_preview_new")
        answer = Person(kind, tenants).signed_in().post(url, {"text": FOOTER, "profile": ""})
        preview = answer.context["preview"]
        return preview.total, preview.examined, preview.holding, len(preview.changed), answer.content.decode()

    def test_it_counts_the_spaces_that_are_seen(self, items):
        own, other = self.preview("lists", "1"), self.preview("lists", "2")
        everything = self.preview("super", "1")
        assert 0 < own[0] == own[1] == own[2] and 0 < other[0] == other[1] == other[2]
        for place in range(4):
            assert own[place] + other[place] == everything[place]
        assert "Дрель" in own[4] and "Лопата" not in own[4]
        assert "Лопата" in other[4] and "Дрель" not in other[4]

    def test_it_does_not_look_into_posts_that_are_not_seen(self, items):
        Ad.objects.filter(sku="1").exclude(title="Пила циркулярная").update(phone="barred", published=False)
        total, examined, holding, changed, page = self.preview("lists", "1")
        assert total > 0 and (examined, holding, changed) == (0, 0, 0)
        assert "Дрель" not in page
        assert self.preview("super", "1")[2] > total
