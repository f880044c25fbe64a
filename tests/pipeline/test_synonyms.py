"""A profile's file of synonyms: read once a scheme, kept with it."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from django_neardup.checks import database
from django_neardup.conf import get_profile
from django_neardup.models import Scheme
from django_neardup.pipeline.schemes import active_scheme, begin_generation
from django_neardup.pipeline.synonym_files import read_synonym_classes, synonyms_of
from django_neardup.text.tokens.synonyms import Synonyms
from tests.pipeline.helpers import cluster, pair, post, work
from tests.testapp.models import Ad

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "other"])

ILL = "Приходится уволить повара, который начал часто недомогать"
SICK = "Приходится уволить повара, который начал часто болеть"


@pytest.fixture
def file(tmp_path, settings):
    path = tmp_path / "synonyms.txt"
    path.write_text("# здоровье\nболеть, недомогать, хворать\n\nврач доктор # лекарь\n", encoding="utf-8")
    settings.NEARDUP = {"default": {"SYNONYMS": path, "ALGORITHM": "md5"}}
    return path


def scheme(using="default"):
    return active_scheme(get_profile(), using)


def test_words_of_one_class_are_one_word(file, settings):
    one, two = post(ILL), post(SICK)
    work()
    assert cluster(one) == cluster(two) is not None
    settings.NEARDUP = {"default": {"ALGORITHM": "md5"}}
    begin_generation(get_profile(), "default")
    for each in (one, two):
        each.save()
    work()
    assert cluster(one) is None and pair(one, two) is None


def test_the_scheme_keeps_what_the_file_held(file):
    first = scheme()
    assert first.parameters["synonyms"] == Synonyms.load(file, "ru").digest
    assert Scheme.objects.get().synonyms == [["болеть", "недомогать", "хворать"], ["врач", "доктор"]]
    file.unlink()
    one, two = post(ILL), post(SICK)
    work()
    assert cluster(one) == cluster(two) is not None


def test_another_content_asks_for_another_scheme(file):
    scheme()
    assert database.check_schemes(databases=["default"]) == []
    file.write_text("врач доктор\nхворать болеть недомогать\n", encoding="utf-8")
    (message,) = database.check_schemes(databases=["default"])
    assert message.id == "neardup.W106" and "differs from the active scheme in synonyms." in message.msg
    file.write_text("\ufeffврач доктор # и никак иначе\n  болеть,недомогать , хворать", encoding="utf-8")
    assert database.check_schemes(databases=["default"]) == []


def test_the_new_scheme_has_the_new_words(file):
    one, two, three = post(ILL), post(SICK), post(SICK.replace("болеть", "отдыхать"))
    work()
    file.write_text("болеть отдыхать\n", encoding="utf-8")
    begin_generation(get_profile(), "default")
    for each in (one, two, three):
        each.save()
    work()
    assert cluster(two) == cluster(three) is not None and cluster(one) is None


def test_texts_in_another_language_have_their_own_forms(file):
    file.write_text("болею недомогаю\n", encoding="utf-8")
    present = scheme()
    assert synonyms_of(present, "ru").leading_key("недомогать") == "болеть"
    assert synonyms_of(present, "en").leading_key("недомогаю") == "болею"


def test_each_database_keeps_its_own(file):
    Ad.objects.using("other").create(text=ILL)
    Ad.objects.using("other").create(text=SICK)
    work("other")
    assert Scheme.objects.using("other").get().synonyms and not Scheme.objects.exists()
    (one, two) = Ad.objects.using("other")
    assert cluster(one, "other") == cluster(two, "other") is not None


@pytest.mark.parametrize("content", ["врач доктор\nдоктор лекарь\n", "врач лекарь\nдоктор 17\n"])
def test_a_file_that_cannot_be_used_makes_no_scheme(file, content):
    file.write_text(content, encoding="utf-8")
    with pytest.raises(ImproperlyConfigured, match=r"SYNONYMS .* cannot be used: line 2: "):
        read_synonym_classes(get_profile())
    with pytest.raises(ImproperlyConfigured):
        scheme()
    assert not Scheme.objects.exists()
