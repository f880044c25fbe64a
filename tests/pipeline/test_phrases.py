"""What ties posts to one another beside their texts: contacts, people's names, the staff's key phrases."""

import threading
import time

import pytest
from django.core import serializers
from django.db import connection, transaction

from django_neardup.adapters import adapter_for
from django_neardup.conf import get_profile
from django_neardup.models import Contact, Document, KeyPhrase
from django_neardup.pipeline import key_phrases, mark
from django_neardup.pipeline.backfill import begin_pass, process_ranges
from django_neardup.pipeline.key_phrases import PhraseList, request_phrase_search
from django_neardup.pipeline.leases import finish_many, lease_many
from django_neardup.pipeline.process_documents import process_documents
from django_neardup.pipeline.read import read_many
from django_neardup.pipeline.schemes import active_scheme
from django_neardup.pipeline.sign import sign_many
from django_neardup.pipeline.source_properties import MAX_CONTACTS
from django_neardup.pipeline.store import store_many
from django_neardup.pipeline.version_guard import SchemeChanged
from django_neardup.pipeline.work_queue import mark_many
from tests.pipeline.helpers import CAT, PIANO, SOFA, document, post, work
from tests.testapp.models import Ad, Topic

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "other"])

NAMED = (
    "Прошу Иванова Ивана Ивановича перезвонить по телефону +7 900 000-18-05 по поводу срочной продажи гаража."
)


@pytest.fixture(autouse=True)
def forget():
    key_phrases._compiled_phrases.clear()


def kinds(instance):
    return sorted(document(instance).contacts.values_list("kind", flat=True))


def hashes(instance, kind):
    return set(document(instance).contacts.filter(kind=kind).values_list("hash", flat=True))


def phrase(text, **values):
    return KeyPhrase.objects.create(text=text, **values)


def test_names_phrases_and_contacts_are_kept_by_kind():
    phrase("срочная продажа")
    one = post(NAMED)
    two = post("Иванов Иван Иванович. СРОЧНЫЕ ПРОДАЖИ! 8 (900) 000-18-05, и больше ничего интересного")
    three = post("Петров Пётр Петрович продаёт срочно гараж в хорошем состоянии")
    work()
    assert kinds(one) == kinds(two) == ["contact", "name", "phrase"]
    for kind in Contact.Kind.values:
        assert hashes(one, kind) == hashes(two, kind) and len(hashes(one, kind)) == 1
    assert kinds(three) == ["name"] and hashes(three, "name") != hashes(one, "name")


def test_a_declared_person_is_a_name_and_a_phrase_of_the_same_words_another_hash():
    one = post(SOFA, phone="Ольга Петрова")
    two = post(f"{PIANO} Ольга Петрова.")
    phrase("ольга петрова")
    work()
    found = list(Contact.objects.values_list("hash", flat=True))
    assert kinds(one) == ["name"] and kinds(two) == ["name", "phrase"] and len(set(found)) == 2


def test_what_goes_from_the_text_goes_from_the_contacts():
    phrase("срочная продажа")
    one = post(NAMED)
    work()
    one.text = SOFA
    one.save()
    work()
    assert kinds(one) == []


def test_a_change_of_the_list_is_noticed_at_the_next_turn():
    one, two, three, four, five = (post(f"{SOFA} {number}") for number in range(5))

    def turn(instance):
        instance.text += " Механизм исправен."
        instance.save()
        work()
        return kinds(instance)

    assert turn(one) == []
    added = phrase("угловой диван")
    assert turn(one) == ["phrase"]
    added.text = "красный диван"
    added.save()
    assert turn(two) == []
    added.text, added.active = "углового дивана", False
    added.save(update_fields=["text", "active"])
    assert turn(three) == []
    added.active = True
    added.save(update_fields=["active"])
    assert turn(four) == ["phrase"]
    added.delete()
    assert turn(five) == []


def test_a_change_that_no_save_told_of_is_noticed_too():
    from django_neardup.text.canonical_text import CanonicalText as Text

    def found():
        return PhraseList("default", "default").find_in(lambda: Text(SOFA))

    one = phrase("угловой диван")
    assert found() == ("угловой диван",)
    KeyPhrase.objects.update(text="угловой шкафф")
    assert found() == ()
    one.text = "лифт грузовой"
    KeyPhrase.objects.bulk_update([one], ["text"])
    assert found() == ("лифт грузовой",)
    KeyPhrase.objects.update(active=False)
    assert found() == ()
    written = [
        {"model": "neardup.keyphrase", "pk": one.pk, "fields": {"text": "диван", "created": one.created}}
    ]
    for each in serializers.deserialize("python", written):
        each.save()
    assert found() == ("диван",)


def test_the_list_is_compiled_once_and_asked_for_in_one_statement(monkeypatch, django_assert_num_queries):
    from django_neardup.text.canonical_text import CanonicalText as Text

    phrase("угловой диван")
    text = Text(SOFA)
    assert PhraseList("default", "default").find_in(lambda: text) == ("угловой диван",)
    monkeypatch.setattr(key_phrases, "PhraseMatcher", None)
    with django_assert_num_queries(1):
        assert PhraseList("default", "default").find_in(lambda: text) == ("угловой диван",)


def test_a_phrase_of_another_profile_is_not_looked_for(settings):
    settings.NEARDUP = {"default": {}, "articles": {}}
    phrase("угловой диван", profile="articles")
    phrase("лифт", profile="default")
    one = post(SOFA)
    work()
    assert kinds(one) == ["phrase"]


def test_each_database_has_its_own_list():
    KeyPhrase.objects.using("other").create(text="угловой диван")
    one, two = post(SOFA), Ad.objects.using("other").create(text=SOFA)
    work()
    work("other")
    assert kinds(one) == []
    assert document(two, "other").contacts.get().kind == "phrase"


def test_existing_posts_are_searched_when_asked(settings):
    one, short, topic = post(SOFA), post("диван"), Topic.objects.create(text=SOFA)
    work()
    added = phrase("угловой диван")
    one.save()
    work()
    assert kinds(one) == []  # nothing has changed, so nothing was read
    assert request_phrase_search([added], "default") == 2
    assert document(short).wanted == document(short).done
    work()
    assert kinds(one) == kinds(topic) == ["phrase"]
    added.active = False
    added.save()
    request_phrase_search([added], "default")
    work()
    assert kinds(one) == []


def test_only_the_phrases_profile_is_searched(settings, monkeypatch):
    from django_neardup.adapters import adapter_for

    settings.NEARDUP = {"default": {}, "forum": {}}
    monkeypatch.setattr(type(adapter_for(Topic)), "profile", "forum")
    post(SOFA), Topic.objects.create(text=SOFA)
    work()
    assert request_phrase_search([phrase("диван", profile="forum")], "default") == 1
    assert Document.objects.get(pending_since__isnull=False).content_type.model == "topic"
    assert request_phrase_search([phrase("диван")], "default") == 2


def test_many_are_marked_at_once():
    one, two, three = post(SOFA), post(PIANO), post(CAT)
    work()
    mark_many([document(one).pk, document(two).pk], "default")
    mark_many([], "default")
    assert [document(each).recheck for each in (one, two, three)] == [True, True, False]
    assert [document(each).wanted for each in (one, two, three)] == [2, 2, 1]
    work()
    assert not Document.objects.filter(recheck=True).exists()


@pytest.mark.engines("postgresql", "mariadb")
def test_a_row_that_a_request_holds_is_marked_last_and_alone():
    """The request holds the second row and then wants the first: whoever held that while waiting would deadlock."""
    one, two = post(SOFA), post(PIANO)
    work()
    held = threading.Event()
    marking = threading.Thread(target=in_thread, args=(held, [document(each).pk for each in (one, two)]))
    marking.start()
    end = time.monotonic() + 30
    with transaction.atomic():
        mark(two)
        held.set()
        while not Document.objects.filter(pk=document(one).pk, recheck=True).exists():
            assert time.monotonic() < end
            time.sleep(0.02)
        mark(one)
    marking.join(30)
    assert not marking.is_alive()
    assert [(document(each).recheck, document(each).wanted) for each in (one, two)] == [(True, 3), (True, 3)]


def in_thread(held, documents):
    assert held.wait(30)
    try:
        mark_many(documents, "default")
    finally:
        connection.close()


def test_contacts_of_a_document_are_bounded():
    one = post(" ".join(f"mail{number}@example.com" for number in range(MAX_CONTACTS + 50)) + f" {SOFA}")
    work()
    assert document(one).contacts.count() == MAX_CONTACTS


@pytest.mark.parametrize("many", [False, True])
def test_the_first_phrase_of_all_is_noticed_between_signing_and_storing(many):
    post(PIANO)
    work()
    ads = [post(NAMED), post(CAT)][: 1 + many]
    rows = lease_many([document(each).pk for each in ads], "default", 60)
    reads = read_many(rows, "default")
    signed, _ = sign_many(reads, active_scheme(get_profile(), "default"), "default")
    phrase("срочная продажа")
    with pytest.raises(SchemeChanged):
        store_many(signed, "default")
    assert not Contact.objects.exists()
    process_documents(rows, "default")
    assert "phrase" in kinds(ads[0])


def test_the_first_phrase_of_all_is_looked_for_in_the_rest_of_a_run():
    one, two = Ad.objects.bulk_create([Ad(text=PIANO), Ad(text=f"{CAT} Срочная продажа.")])

    def tell(phase, posts):
        if phase == "comparing" and not KeyPhrase.objects.exists():
            phrase("срочная продажа")

    process_ranges(begin_pass(adapter_for(Ad), "default"), 1, tell)
    assert KeyPhrase.objects.exists() and kinds(two) == ["phrase"]


def test_a_search_finds_posts_that_are_signed_just_now():
    one = post(SOFA)
    phrase("старое пианино")
    rows = lease_many([document(one).pk], "default", 60)
    reads = read_many(rows, "default")
    signed, _ = sign_many(reads, active_scheme(get_profile(), "default"), "default")
    request_phrase_search([phrase("угловой диван")], "default")
    finish_many(store_many(signed, "default"), "default")
    work()
    assert kinds(one) == ["phrase"]
