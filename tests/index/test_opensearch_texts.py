"""A profile whose candidates come from a search of words in OpenSearch: what is found, what is sent, what is erased."""

from __future__ import annotations

import pytest
from django.core.management import call_command

import django_neardup as neardup
from django_neardup.comparison.candidates import candidates_many
from django_neardup.conf import CANDIDATES, KEYS
from django_neardup.exceptions import IndexUnavailable
from django_neardup.index import TextSearch
from django_neardup.index.index_class import get_index
from django_neardup.index.opensearch import opensearch_index
from django_neardup.index.opensearch.text_search import ANALYZERS, text_properties
from django_neardup.models import Document, Key, KeyChange, Space
from django_neardup.moderation.erasure.erase import erase
from django_neardup.pipeline import drain
from django_neardup.pipeline.deleted_posts import erase_now
from django_neardup.pipeline.read import read_many
from django_neardup.pipeline.schemes import active_scheme
from django_neardup.pipeline.sign import sign_many
from django_neardup.pipeline.stored_posts import StoredPosts
from django_neardup.registry import adapter_for
from tests.index.opensearch_helpers import delete_indexes, index_setting, ship_all
from tests.pipeline.helpers import CAT, PIANO, SOFA, cluster, document, post, work
from tests.services import free_port
from tests.testapp.models import Ad, UuidPost

pytestmark = [pytest.mark.opensearch, pytest.mark.django_db(transaction=True)]

DEFAULTS, TUNED = CANDIDATES[1:]
EDITED = SOFA.replace("третьего этажа", "второго этажа")
REPEATED = SOFA + " Угловой диван, обивка, механизм: угловой диван в хорошем состоянии."
"""A text that says some words twice: the search of the article counts no others."""
REPEATED_EDITED = REPEATED.replace("Самовывоз с третьего этажа", "Забирать со второго этажа")


@pytest.fixture(autouse=True)
def search(settings, opensearch, monkeypatch):
    """Sets a kind of candidates, on one new index."""
    # On a busy machine the node answers late.
    monkeypatch.setattr(opensearch_index, "PAGE_SECONDS", 30.0)
    index = index_setting(opensearch)

    def use(candidates, **values):
        profile = {"ALGORITHM": "profile-cosine", "OPTIONS": {"guard": False}, "CANDIDATES": candidates}
        settings.NEARDUP = {"default": {"BACKEND": None, "INDEX": index, **profile, **values}}
        return get_index("default")

    use(TUNED)
    yield use
    delete_indexes(opensearch)


def found(text, kind=TUNED, size=10, **changes):
    """The documents that a search in OpenSearch alone names."""
    values = {"language": "ru", "space": Space.objects.order_by("pk")[0].pk, "document": 0, **changes}
    ((documents,), is_complete) = get_index("default").search_texts(
        [TextSearch(kind, text=text, size=size, **values)]
    )
    assert is_complete
    return documents


def candidates_of(ad):
    """The documents that a turn would compare with a post."""
    settings = adapter_for(Ad).settings
    signed, _ = sign_many(read_many([document(ad)], "default"), active_scheme(settings, "default"), "default")
    rows = candidates_many(signed, StoredPosts.of(signed, "default"))[document(ad).pk].fingerprints
    return sorted(row.document_id for row in rows)


def entries_with_text(node):
    """How many entries have words."""
    index = get_index("default").name
    exists = {"query": {"exists": {"field": "text.russian"}}}
    node.ask("POST", f"/{index}/_refresh")
    return node.ask("POST", f"/{index}/_count", exists)["count"]


def test_a_post_is_found_and_its_text_goes_with_it(opensearch):
    """The short form of this module: saved, shipped, found by its words, edited, erased."""
    sofa, other = post(SOFA), post(PIANO)
    work()
    assert Key.objects.exists()
    ship_all()
    assert not Key.objects.exists() and entries_with_text(opensearch) == 2
    # Another grammatical case of the words: the Russian analyzer reduces them.
    assert found("угловые диваны, обивки, пятна, зацепки, механизмы") == [document(sofa).pk]
    edited = post(EDITED)
    work()
    assert cluster(edited) == cluster(sofa) is not None and cluster(other) is None
    assert [match.object for match in neardup.find_similar(SOFA + " Торг.", Ad)] == [sofa, edited]
    sofa.text = CAT
    sofa.save()
    edited.delete()
    work()
    ship_all()
    assert found(SOFA) == [] and found(CAT) == [document(sofa).pk]
    assert entries_with_text(opensearch) == 2 and not KeyChange.objects.exists()


@pytest.mark.long
class TestCandidates:
    def test_the_search_names_them_and_not_the_keys(self, search):
        """A word that is said once, in fewer than five posts, does not count for the article's search."""
        search(DEFAULTS)
        for text in (SOFA, EDITED):
            post(text)
            work()
            ship_all()
        one, two = Ad.objects.order_by("pk")
        assert candidates_of(two) == [] and found(SOFA, DEFAULTS) == []
        # The control: by keys, or by the tuned search, they are candidates.
        assert found(SOFA, TUNED) == [document(one).pk, document(two).pk]
        search(KEYS)
        call_command("neardup_index", rebuild=True, no_progress=True, verbosity=0)
        ship_all()
        assert candidates_of(two) == [document(one).pk]

    def test_the_defaults_find_words_that_are_said_twice_in_five_posts(self, search):
        search(DEFAULTS)
        for number in range(5):
            post(f"{REPEATED} Номер {number}.")
        work()
        ship_all()
        edited = post(REPEATED_EDITED)
        work()
        assert len(candidates_of(edited)) == 5 and cluster(edited) is not None

    def test_ten_are_compared(self):
        posts = [post(f"{SOFA} Номер {number}.") for number in range(14)]
        work()
        ship_all()
        oldest = [document(ad).pk for ad in posts[:10]]
        assert found(SOFA, size=10) == oldest
        assert len(found(SOFA, size=64)) == 14

    def test_an_exact_copy_is_found_in_spite_of_the_search(self, search):
        search(DEFAULTS)
        one = post(SOFA)
        work()
        ship_all()
        copy = post(SOFA + "!")
        work()
        assert found(SOFA, DEFAULTS) == [] and cluster(copy) == cluster(one) is not None

    def test_another_algorithm_may_judge(self, search):
        """It would find the copy by its keys: the control."""
        search(DEFAULTS, ALGORITHM="neardup", OPTIONS={})
        one = post(SOFA)
        work()
        ship_all()
        two = post(EDITED)
        work()
        assert candidates_of(two) == [] and cluster(two) is None
        search(TUNED, ALGORITHM="neardup", OPTIONS={})
        call_command("neardup_index", rebuild=True, no_progress=True, verbosity=0)
        ship_all()
        assert candidates_of(two) == [document(one).pk] and cluster(two) == cluster(one) is not None

    def test_spaces_are_apart(self, search, opensearch):
        ad, other = post(SOFA), UuidPost.objects.create(text=SOFA)
        work()
        ship_all()
        assert Space.objects.count() == 2 and entries_with_text(opensearch) == 2
        for instance in (ad, other):
            own = document(instance)
            assert found(SOFA, space=own.space_id) == [own.pk]
            assert found(SOFA, space=own.space_id, document=own.pk) == []

    def test_hidden_posts_are_not_shown_and_displace_none(self, search):
        search(TUNED, BUCKET=2)
        hidden, shown = [post(SOFA, published=False) for _ in range(3)], post(EDITED)
        work()
        ship_all()
        assert found(SOFA, size=2) == [document(ad).pk for ad in hidden[:2]]
        matches = neardup.find_similar(SOFA + " Торг.", Ad)
        assert [match.object for match in matches] == [shown] and not matches.partial
        # Its author may see it.
        matches = neardup.find_similar(SOFA + " Торг.", Ad, visible=Ad.objects.filter(pk=hidden[0].pk))
        assert [match.object for match in matches] == [hidden[0]]

    def test_live_posts_that_a_caller_may_not_see_make_an_answer_partial(self, search):
        search(TUNED, BUCKET=2)
        posts = [post(f"{SOFA} Номер {number}.") for number in range(4)]
        work()
        ship_all()
        matches = neardup.find_similar(SOFA + " Торг.", Ad, visible=Ad.objects.filter(pk=posts[3].pk))
        assert matches.partial

    def test_markup_is_no_word(self):
        post(f"<div class='advert'><p>{SOFA}</p></div>")
        work()
        ship_all()
        assert found("advert div class") == [] and len(found(SOFA)) == 1

    def test_a_batch_is_searched_together(self):
        texts = [SOFA, PIANO, CAT]
        for text in texts:
            post(text)
        work()
        ship_all()
        for text in texts:
            post(f"{text} Срочно.")
        work()
        ads = list(Ad.objects.order_by("pk"))
        assert [cluster(ad) for ad in ads[:3]] == [cluster(ad) for ad in ads[3:]]
        assert len({cluster(ad).pk for ad in ads}) == 3

    @pytest.mark.parametrize("language", ["en", "de", "ja", "pt-br", "ZH_hans"])
    def test_languages_have_fields_of_their_own(self, language, search):
        search(TUNED, LANGUAGE=language)
        text = "Used corner sofa, buyer collects 沙发 転居 das gebrauchte Sofa vendo usado"
        post(text)
        work()
        ship_all()
        assert len(found(text, language=language)) == 1
        assert found(text, language="ru") == found(text, language="uk") == []

    def test_every_analyzer_exists(self, opensearch):
        index = get_index("default")
        fields = text_properties()["text"]["properties"]
        answer = opensearch.ask(
            "PUT", f"/{index.name}-analyzers", {"mappings": {"properties": {"text": {"properties": fields}}}}
        )
        assert answer["acknowledged"] and {*fields} == {*ANALYZERS.values()}


@pytest.mark.long
class TestTwins:
    def test_copies_that_were_not_sent_yet_meet(self):
        """Their own keys are in the database: OpenSearch knows nothing of them."""
        one, two = post(SOFA), post(EDITED)
        work()
        assert cluster(one) == cluster(two) is not None
        ship_all()
        third = post(SOFA + " Торг уместен.")
        work()
        fourth = post(EDITED + " Без торга.")
        work()
        assert len({cluster(ad).pk for ad in (one, two, third, fourth)}) == 1
        assert found(SOFA) == [document(one).pk, document(two).pk]

    def test_without_unsent_keys_copies_are_missed(self, monkeypatch):
        """The control."""
        index = get_index("default")
        post(PIANO)
        work()
        ship_all()
        monkeypatch.setattr(
            index, "read_unsent_buckets", lambda keys, *limits: index.fresh.read_buckets([0], 1, 1)
        )
        one, two = post(SOFA), post(EDITED)
        work()
        assert cluster(one) is cluster(two) is None


@pytest.mark.long
class TestWhatIsSent:
    def test_other_profiles_send_no_text(self, search, opensearch):
        search(KEYS)
        post(SOFA)
        work()
        ship_all()
        assert entries_with_text(opensearch) == 0
        # The control: the same index holds the text once the profile searches it.
        search(TUNED)
        call_command("neardup_index", rebuild=True, no_progress=True, verbosity=0)
        ship_all()
        assert entries_with_text(opensearch) == 1
        search(KEYS)
        call_command("neardup_index", rebuild=True, no_progress=True, verbosity=0)
        ship_all()
        assert entries_with_text(opensearch) == 0

    def test_the_database_holds_no_text(self):
        post(SOFA)
        work()
        word = "обивка".encode()
        rows = [*KeyChange.objects.values_list(), *Document.objects.values_list()]
        rows += document(Ad.objects.get()).fingerprints.values_list()
        assert rows and not any(word in bytes(str(value), "utf-8") for row in rows for value in row)

    def test_opensearch_does_not_give_a_text_back(self, opensearch):
        post(SOFA)
        work()
        ship_all()
        answer = opensearch.ask("POST", f"/{get_index('default').name}/_search", {"query": {"match_all": {}}})
        assert {tuple(hit) for hit in answer["hits"]["hits"]} == {("_index", "_id", "_score")}

    @pytest.mark.parametrize("days", [0, 30])
    def test_a_deleted_post_is_erased(self, days, search, opensearch):
        """Also if its fingerprint is remembered."""
        search(TUNED, MEMORY_DAYS=days)
        ad, other = post(SOFA), post(PIANO)
        work()
        ship_all()
        key = ad.pk
        ad.delete()
        work()
        ship_all()
        assert entries_with_text(opensearch) == 1 and found(SOFA) == []
        assert document(other).fingerprints.count() == 1
        # A remembered post keeps keys, for exact copies.
        assert Document.objects.exclude(pk=document(other).pk).get().fingerprints.count() == (days > 0)
        erase_now(Ad, key)
        ship_all()
        assert entries_with_text(opensearch) == 1 and not Key.objects.exists()

    def test_an_erasure_sends_at_once(self, opensearch, search, settings):
        """It says what is left if OpenSearch does not answer."""
        first, second, other = post(SOFA), post(CAT), post(PIANO)
        work()
        ship_all()
        keys = [first.pk, second.pk]
        first.delete(), second.delete()
        assert erase(Ad, keys[0]) == []
        assert found(SOFA) == [] and entries_with_text(opensearch) == 2
        index = settings.NEARDUP["default"]["INDEX"]
        search(TUNED, INDEX={**index, "HOSTS": [f"http://127.0.0.1:{free_port()}"], "RETRIES": 0})
        (left,) = erase(Ad, keys[1])
        assert left == f"testapp.Ad {keys[1]}: changes for the key index remain in the database 'default'."
        search(TUNED)
        assert erase(Ad, keys[1]) == []
        assert entries_with_text(opensearch) == 1 and found(PIANO) == [document(other).pk]

    def test_a_post_that_is_no_longer_compared_is_erased(self, opensearch, monkeypatch):
        ad = post(SOFA)
        work()
        ship_all()
        assert entries_with_text(opensearch) == 1
        monkeypatch.setattr(type(adapter_for(Ad)), "compared", lambda self: Ad.objects.none())
        ad.save()
        work()
        ship_all()
        assert entries_with_text(opensearch) == 0

    def test_a_post_deleted_before_its_text_was_sent(self, opensearch):
        """Its deletion is not processed yet: the text is not read any more."""
        ad = post(SOFA)
        work()
        ad.delete()
        ship_all()
        assert entries_with_text(opensearch) == 0
        work()
        ship_all()
        assert entries_with_text(opensearch) == 0 and not KeyChange.objects.exists()

    def test_long_texts_take_several_requests(self, monkeypatch, opensearch):
        monkeypatch.setattr("django_neardup.index.opensearch.bulk_writing.CHARACTERS_PER_REQUEST", 500)
        monkeypatch.setattr("django_neardup.index.opensearch.text_search.CHARACTERS_PER_REQUEST", 500)
        for text in (SOFA, PIANO, CAT):
            post(text)
        work()
        ship_all()
        assert entries_with_text(opensearch) == 3 and not KeyChange.objects.exists()
        for text in (SOFA, PIANO, CAT):
            post(f"{text} Срочно.")
        work()
        assert len({cluster(ad).pk for ad in Ad.objects.all()}) == 3


@pytest.mark.long
class TestRepair:
    def test_a_rebuilt_index_has_the_texts(self, opensearch):
        one = post(SOFA)
        post(PIANO)
        work()
        ship_all()
        delete_indexes(opensearch)
        call_command("neardup_index", "--rebuild-index", verbosity=0)
        assert entries_with_text(opensearch) == 2 and found(SOFA) == [document(one).pk]

    def test_repair_sends_a_text_again(self, opensearch):
        one = post(SOFA)
        work()
        ship_all()
        index = get_index("default")
        opensearch.ask("DELETE", f"/{index.name}/_doc/{document(one).pk}?refresh=true")
        assert found(SOFA) == []
        call_command("neardup_index", "--repair-index", verbosity=0)
        assert found(SOFA) == [document(one).pk]

    def test_a_cluster_that_does_not_answer(self, search, settings):
        """Posts wait. Pages compare with posts that were not sent, and say that more may exist."""
        post(SOFA)
        work()
        ship_all()
        recent = post(PIANO)
        work()
        index = settings.NEARDUP["default"]["INDEX"]
        search(TUNED, INDEX={**index, "HOSTS": [f"http://127.0.0.1:{free_port()}"], "RETRIES": 0})
        ad = post(CAT)
        with pytest.raises(IndexUnavailable):
            drain("default")
        assert document(ad).attempts == 0
        matches = neardup.find_similar(PIANO + " Срочно.", Ad)
        assert [match.object for match in matches] == [recent] and matches.partial
        search(TUNED)
        work()
        assert document(ad).state == Document.State.INDEXED
