"""From a save to a public page, through the worker and nothing else."""

import pytest
from django.template import Context, Template
from django.urls import reverse

import django_neardup as neardup
from django_neardup.similar_posts import SimilarBlock, uniqueness_percent
from django_neardup.visibility import GroupingError
from tests.testapp.models import Ad

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.urls("tests.grouped_lists.urls")]

TEXT = (
    "Завод реализует сваи железобетонные забивные {code} сечением 350 на 350 мм по серии 1.011.1-10, "
    "бетон тяжёлый, доставка по области, разгрузка краном, цена {price} руб. Звоните {phone}"
)


def post(code="С140.35", price="18 900", phone="+7 900 000-42-17", **values):
    text = TEXT.format(code=code, price=price, phone=phone)
    return Ad.objects.create(title=f"Сваи {code}", text=text, **values)


@pytest.fixture
def posts():
    made = [post(), post(price="17 900"), post(code="С90.30"), post(published=False)]
    neardup.drain()
    return made


def test_group(posts):
    visible = Ad.objects.filter(published=True)
    groups = neardup.group(visible.order_by("-pk"), visible)
    assert [(group.object, group.others) for group in groups] == [(posts[2], []), (posts[1], [posts[0]])]


def test_page(posts, client):
    html = client.get(reverse("neardup:similar", args=["testapp.ad", posts[0].pk])).content.decode()
    members, _, variants = html.partition("<h2>Similar</h2>")
    assert "2 posts about one thing" in members
    assert '<mark class="neardup-price">' in members
    assert "18 900" in members
    assert "17 900" in members
    assert "С140.35 → С90.30" in variants
    assert f"/ads/{posts[3].pk}/" not in html
    assert "000-42-17" not in members.partition("Differs")[2]


def test_hidden_by_staff(posts, client):
    posts[1].published = False
    posts[1].save(update_fields=["published"])
    visible = Ad.objects.filter(published=True)
    assert all(group.count == 0 for group in neardup.group(visible, visible))
    neardup.drain()
    assert all(group.count == 0 for group in neardup.group(visible, visible))
    html = client.get(reverse("neardup:similar", args=["testapp.ad", posts[0].pk])).content.decode()
    assert "17 900" not in html


def test_block(posts):
    visible = Ad.objects.filter(published=True)
    found = SimilarBlock(posts[0], visible)
    assert [(entry.object, entry.is_other_item) for entry in found.entries] == [
        (posts[1], False),
        (posts[2], True),
    ]
    assert (found.count, found.more_count) == (2, 0)
    assert [hint.after for hint in found.entries[1].hints] == ["С90.30"]


@pytest.mark.parametrize(
    ("text", "percent"),
    [
        (lambda posts: posts[0], range(1)),
        (lambda posts: posts[2], range(1, 30)),
        (lambda posts: str(posts[0].title) + "\n" + posts[0].text, range(1)),
        (lambda posts: "Куплю гараж в Железнодорожном районе, можно без крыши и ворот.", range(100, 101)),
    ],
)
def test_uniqueness(posts, text, percent):
    context = Context({"text": text(posts), "visible_ads": Ad.objects.filter(published=True)})
    said = Template("{% load neardup %}{% neardup_uniqueness text visible_ads %}").render(context)
    assert int(said) in percent


def test_uniqueness_of_nothing_to_compare_with():
    with pytest.raises(GroupingError, match="Pass the queryset"):
        uniqueness_percent("a b c d", [])
