"""The page of similar posts as JSON: what stands on the page, for the same visitors."""

import pytest
from django.urls import reverse

from tests.api.asking import CODE, OTHER, indexed, post
from tests.grouped_lists import rows
from tests.testapp.models import SlugPost, Unregistered

pytestmark = pytest.mark.django_db


def address(instance):
    return reverse("neardup:api-similar", args=[instance._meta.label_lower, str(instance.pk)])


def told(client, instance, **query):
    response = client.get(address(instance), query)
    assert response.status_code == 200
    return response.json()


def test_what_is_told(client):
    one, two, other, _hidden = indexed(post(), post(price="17 900"), post(OTHER), post(published=False))
    found = told(client, one)
    assert found["first"]["url"] == f"/ads/{one.pk}/"
    assert (found["count"], found["page"], found["pages"]) == (2, 1, 1)
    assert (found["previous"], found["next"]) == (None, None)
    (entry,) = found["entries"]
    assert (entry["title"], entry["url"]) == (two.title, f"/ads/{two.pk}/")
    assert (entry["same"], entry["compared"], entry["other_item"]) == (False, True, False)
    assert entry["differs"] == [{"what": "price", "before": "18 900 ₽", "after": "17 900 ₽"}]
    (variant,) = found["variants"]
    assert variant["other_item"]
    assert variant["differs"][0] == {"what": "model", "before": CODE, "after": OTHER}
    assert found["related"] == []


def test_pages(client):
    posts = [SlugPost.objects.create(slug=f"{number} b?c=d#é/", text="a") for number in range(45)]
    rows.cluster(*posts)
    first = told(client, posts[0])
    second = client.get(first["next"]).json()
    assert (second["page"], second["pages"], len(second["entries"])) == (2, 3, 20)
    assert client.get(second["previous"]).json() == first
    assert client.get(second["next"]).json()["next"] is None


def test_absent_hidden_and_unregistered_get_one_answer(client):
    hidden, strange = post(published=False), Unregistered.objects.create(text="a")
    answers = {
        (response.status_code, response.content)
        for response in (
            client.get(path)
            for path in (
                address(hidden),
                f"/similar/api/similar/testapp.ad/{hidden.pk + 10}/",
                f"/similar/api/similar/testapp.unregistered/{strange.pk}/",
                "/similar/api/similar/testapp.ad/abc/",
                "/similar/api/similar/testapp.ad/%00/",
                "/similar/api/similar/x/1/",
                "/similar/api/similar/testapp.ad/" + "9" * 400 + "/",
            )
        )
    }
    assert answers == {(404, b'{"error": "Page not found."}')}


def test_bytes_are_the_same_with_and_without_a_hidden_twin(client):
    one, two, hidden = indexed(post(), post(price="17 900"), post(published=False))
    with_twin = client.get(address(one))
    rows.document(hidden).delete()
    hidden.delete()
    without = client.get(address(one))
    assert (with_twin.content, with_twin.headers) == (without.content, without.headers)


def test_no_score_and_no_verdict(client):
    one, *_ = indexed(post(), post(price="17 900"), post(OTHER))
    said = client.get(address(one)).content.decode().lower()
    for word in ("score", "verdict", "duplicate", '"variant"', "0.9", "%"):
        assert word not in said


@pytest.mark.parametrize("slug", ["a/b", "api/check", "similar/testapp.ad/1", "сваи", "a b?c=d#e"])
def test_text_keys(client, slug):
    one, two = (SlugPost.objects.create(slug=slug + tail, text="a b") for tail in ("", "2"))
    rows.cluster(one, two)
    assert told(client, one)["count"] == 2
    assert (
        "2 posts" in client.get(reverse("neardup:similar", args=["testapp.slugpost", slug])).content.decode()
    )


def test_answers_are_kept_by_nobody(client):
    response = client.get(address(post()))
    assert response.headers["X-Robots-Tag"] == "noindex"
    assert "private" in response.headers["Cache-Control"]
    assert client.post(address(post())).status_code == 405
