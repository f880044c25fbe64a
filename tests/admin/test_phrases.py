"""Key phrases: written, searched, switched, looked for in the posts that are there."""

import pytest
from django.contrib.admin.models import LogEntry
from django.urls import reverse

from django_neardup.models import Contact, Document, KeyPhrase
from django_neardup.pipeline.hash_secrets import secret_of
from django_neardup.pipeline.key_phrases import normalize_phrase
from django_neardup.pipeline.source_properties import contact_hash
from tests import builders
from tests.admin.tools import list_of, page_of, told

pytestmark = pytest.mark.django_db

ADD = "admin:neardup_keyphrase_add"


def phrase(text="срочная продажа", **values):
    return KeyPhrase.objects.create(text=text, **values)


def act(client, action, *rows):
    return client.post(list_of(KeyPhrase), {"action": action, "_selected_action": [each.pk for each in rows]})


def test_a_phrase_is_written(root):
    answer = root.post(
        reverse(ADD), {"text": "  срочная   продажа ", "profile": "", "active": "on", "note": "перекупщики"}
    )
    made = KeyPhrase.objects.get()
    assert (made.text, made.profile, made.active, made.note) == ("срочная продажа", "", True, "перекупщики")
    assert (made.by, made.by_name) == (str(root.user.pk), "root")
    assert any("Search existing posts" in each for each in told(answer))


@pytest.mark.parametrize(
    ("text", "profile"),
    [
        ("!!! …", ""),
        ("", ""),
        ("и", ""),
        ("Очень!", ""),
        ("срочная продажа", "no such profile"),
        ("д" * 201, ""),
    ],
)
def test_what_cannot_be_found_is_not_written(root, text, profile):
    answer = root.post(reverse(ADD), {"text": text, "profile": profile, "active": "on"})
    assert answer.status_code == 200 and answer.context["adminform"].form.errors
    assert not KeyPhrase.objects.exists()


@pytest.mark.parametrize("text", ["срочная  продажа", "Срочную — продажу!"])
def test_a_phrase_is_written_once_a_profile(root, text):
    phrase("срочная продажа")
    answer = root.post(reverse(ADD), {"text": text, "profile": "", "active": "on"})
    assert "same texts: срочная продажа" in str(answer.context["adminform"].form.errors["text"])
    root.post(reverse(ADD), {"text": "срочная продажа", "profile": "default", "active": "on"})
    assert KeyPhrase.objects.count() == 2


def test_a_phrase_is_changed_by_another_person(root, person):
    made = phrase(by="5", by_name="ольга")
    client = person("neardup.change_keyphrase", "neardup.view_keyphrase")
    client.post(page_of(made), {"text": "продажа срочно", "profile": "default", "active": "on"})
    made.refresh_from_db()
    assert (made.text, made.profile, made.by_name) == ("продажа срочно", "default", "ольга")


def test_phrases_are_listed_searched_and_filtered(root):
    one, two = phrase(note="перекупщики", by_name="ольга"), phrase("без посредников", active=False)

    def listed(**query):
        return list(root.get(list_of(KeyPhrase), query).context["cl"].result_list)

    assert listed() == [two, one]
    for asked in ("срочная", "перекупщики", "ольга"):
        assert listed(q=asked) == [one]
    assert listed(active__exact="0") == [two]
    assert "без посредников" in root.get(list_of(KeyPhrase)).content.decode()


def test_the_list_says_in_how_many_posts_a_phrase_is(root, ads, django_assert_max_num_queries):
    one, two = phrase(), phrase("завтра", profile="default")
    secret = secret_of(builders.scheme())
    for place, post in enumerate(ads("сегодня", "завтра")):
        document = builders.document(post)
        for each in (one, two)[: 1 + place]:
            Contact.objects.create(
                document=document,
                kind="phrase",
                hash=contact_hash("phrase", normalize_phrase(each.text), secret),
            )
    with django_assert_max_num_queries(12):
        rows = root.get(list_of(KeyPhrase)).context["cl"].result_list
    assert {row.text: row.post_count for row in rows} == {"срочная продажа": 2, "завтра": 1}


def test_switching(root):
    one, two = phrase(), phrase("без посредников", active=False)
    assert told(act(root, "switch_off", one, two)) == ["1 key phrase was switched off."]
    assert not KeyPhrase.objects.filter(active=True).exists()
    assert LogEntry.objects.get().get_change_message() == "Changed Active."
    assert told(act(root, "switch_on", one, two))[-1] == "2 key phrases were switched on."
    assert not KeyPhrase.objects.filter(active=False).exists()


def test_existing_posts_are_searched(root, cluster):
    answer = act(root, "search_posts", phrase())
    assert told(answer) == ["3 posts are marked: the worker will look for the key phrases in them."]
    assert set(Document.objects.values_list("recheck", flat=True)) == {True}
    assert all(each.wanted > each.done and each.pending_since for each in Document.objects.all())


@pytest.mark.parametrize("names", [(), ("neardup.review",), ("neardup.view_keyphrase",)])
def test_who_may_only_look_changes_nothing(names, person, cluster):
    made = phrase()
    client = person(*names)
    for action in ("search_posts", "switch_off", "delete_selected"):
        act(client, action, made)
    assert client.get(reverse(ADD)).status_code == 403
    assert client.get(list_of(KeyPhrase)).status_code == (200 if names else 403)
    made.refresh_from_db()
    assert made.active and not Document.objects.filter(recheck=True).exists()


def test_a_phrase_is_deleted(root):
    made = phrase()
    root.post(reverse("admin:neardup_keyphrase_delete", args=[made.pk]), {"post": "yes"})
    assert not KeyPhrase.objects.exists()
