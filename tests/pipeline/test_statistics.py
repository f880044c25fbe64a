"""Statistics of the posts: gathered, kept frozen, named by the scheme that works with them, waited for."""

import logging

import pytest

from django_neardup.adapters import adapter_for
from django_neardup.algorithms.statistics import StatisticsMissing
from django_neardup.checks import database
from django_neardup.conf import get_profile
from django_neardup.models import Cluster, Document, Scheme, TermStatistics
from django_neardup.pipeline import drain, has_pending, mark, missing_statistics
from django_neardup.pipeline.missing_statistics import profiles_lacking_statistics
from django_neardup.pipeline.scheme_cache import cached_scheme, read_active_schemes
from django_neardup.pipeline.schemes import (
    active_scheme,
    algorithm_of,
    begin_generation,
    scheme_columns,
)
from django_neardup.pipeline.statistics_builder import NoPostsToGather, gather_statistics, texts_of
from django_neardup.pipeline.statistics_store import delete_unused, load_statistics
from django_neardup.signals import cluster_changed
from tests.pipeline.helpers import CAT, PIANO, SOFA, SOFA_EDITED, cluster, document, post, work
from tests.testapp.models import Ad, ScopedPost

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "other"])


@pytest.fixture(autouse=True)
def profile(settings, monkeypatch):
    settings.NEARDUP = {"default": {"ALGORITHM": "tf-idf"}}
    monkeypatch.setattr(missing_statistics, "_last_warning", {})
    load_statistics.cache_clear()


def scheme():
    return active_scheme(get_profile(), "default")


def gathered(using="default", sample=0):
    return gather_statistics(get_profile(), using, sample)


def test_posts_wait_for_statistics_and_none_is_set_aside(caplog):
    one, two = post(SOFA), post(SOFA + " И.")
    with caplog.at_level(logging.WARNING, "django_neardup"):
        for _ in range(8):
            assert drain().processed == 0 and has_pending("default")
    assert len(caplog.messages) == 1
    assert "Pending posts: 2." in caplog.messages[0] and "neardup_statistics" in caplog.messages[0]
    assert {(each.state, each.attempts, each.leased_until) for each in Document.objects.all()} == {
        (Document.State.PENDING, 0, None)
    }
    gathered()
    work()
    assert {document(each).state for each in (one, two)} == {Document.State.INDEXED}


def test_a_post_without_statistics_keeps_nobody_else_waiting(settings, monkeypatch):
    settings.NEARDUP = {"default": {}, "rare": {"ALGORITHM": "tf-idf"}}
    monkeypatch.setattr(type(adapter_for(ScopedPost)), "profile", "rare")
    left = [ScopedPost.objects.create(site=1, text=f"{SOFA} {number}") for number in range(3)]
    one, two = post(SOFA), post(SOFA_EDITED)
    assert profiles_lacking_statistics("default") == {"rare"}
    assert drain().processed >= 2
    assert cluster(one) == cluster(two) is not None
    assert {document(each).state for each in left} == {Document.State.PENDING}
    assert profiles_lacking_statistics("other") == {"rare"}


def test_the_first_statistics_become_those_of_the_scheme_that_waited():
    post(SOFA)
    waiting = scheme()
    assert waiting.parameters["statistics"] is None
    with pytest.raises(StatisticsMissing):
        algorithm_of(waiting).keys(next(texts_of(get_profile(), "default")))
    snapshot, new = gathered()
    assert new and scheme() == waiting and scheme().parameters["statistics"] == snapshot.digest
    assert algorithm_of(scheme()).statistics.digest == snapshot.digest


def test_a_snapshot_says_what_it_holds():
    post(SOFA), post(SOFA_EDITED), post("диван")
    snapshot, _ = gathered()
    loaded = load_statistics(snapshot.digest, "default")
    assert (snapshot.profile, snapshot.number, snapshot.documents) == ("default", 1, 2)
    assert snapshot.words == len(loaded.terms) > 10
    assert snapshot.average_length == loaded.average_length > 20
    assert "диван" in loaded.terms and loaded.document_frequency("диван") == 2


def test_other_statistics_are_for_the_next_scheme():
    one = post(SOFA)
    first, _ = gathered()
    work()
    keys = document(one).fingerprints.get().keys
    post(PIANO), post(CAT)
    second, new = gathered()
    assert new and second.number == 2 and second.digest != first.digest
    assert scheme().parameters["statistics"] == first.digest
    one.save()
    work()
    assert bytes(document(one).fingerprints.get().keys) == bytes(keys)
    begin_generation(get_profile(), "default")
    assert scheme().generation == 2 and scheme().parameters["statistics"] == second.digest


def test_the_same_statistics_are_kept_once():
    post(SOFA)
    first, _ = gathered()
    again, new = gathered()
    assert not new and again == first and TermStatistics.objects.count() == 1


def test_what_no_scheme_works_with_is_forgotten():
    post(SOFA)
    first, _ = gathered()
    scheme()
    for text in (PIANO, CAT, SOFA_EDITED):
        post(text)
        last, _ = gathered()
    assert delete_unused("default", "default") == 1
    kept = TermStatistics.objects.order_by("number")
    assert list(kept.values_list("number", flat=True)) == [1, 3, 4]
    assert (kept.first(), kept.last()) == (first, last)
    begin_generation(get_profile(), "default")
    assert delete_unused("default", "default") == 1
    assert list(kept.values_list("number", flat=True)) == [3, 4]


def test_a_scheme_that_is_begun_at_the_same_moment_keeps_its_own():
    for text in (SOFA, PIANO):
        post(text)
        gathered()
    begun = scheme_columns(get_profile(), "default")
    post(CAT)
    gathered()
    assert delete_unused("default", "default") == 1
    made = Scheme.objects.create(profile="default", secret="00", **begun)
    assert profiles_lacking_statistics("default") == set() and algorithm_of(made).statistics.text_count == 2


def test_schemes_are_made_anew_only_where_their_rows_are_others():
    active_scheme(get_profile(), "default")
    known = read_active_schemes("default")["default"]
    assert read_active_schemes("default")["default"] is known is cached_scheme(get_profile(), "default")
    Scheme.objects.update(parameters={**known.parameters, "statistics": None})
    assert read_active_schemes("default")["default"].parameters["statistics"] is None
    later = begin_generation(get_profile(), "default")
    assert read_active_schemes("default") == {"default": later}
    assert cached_scheme(get_profile(), "default").generation == 2


def test_posts_wait_for_a_new_scheme_where_a_snapshot_was_lost():
    post(SOFA)
    gathered()
    scheme()
    TermStatistics.objects.all().delete()
    load_statistics.cache_clear()
    assert profiles_lacking_statistics("default") == {"default"} and drain().processed == 0
    post(PIANO)
    gathered()
    assert profiles_lacking_statistics("default") == {"default"}
    begin_generation(get_profile(), "default")
    assert profiles_lacking_statistics("default") == set()
    work()


@pytest.fixture
def lost(settings):
    """Posts of one text, signed and grouped; then the statistics are lost."""
    settings.NEARDUP = {"default": {"ALGORITHM": "tf-idf", "OPTIONS": {"guard": False}}}
    posts = [post(SOFA + end) for end in ("", ".", "!")]
    gathered()
    work()
    assert Cluster.objects.get().size == 3
    TermStatistics.objects.all().delete()
    load_statistics.cache_clear()
    return posts


def test_a_deleted_post_leaves_its_group_while_statistics_are_lacking(lost):
    one, two, three = lost
    gone = document(three)
    three.delete()
    assert drain().processed == 1
    gone.refresh_from_db()
    assert (gone.state, Cluster.objects.get().size) == (Document.State.GONE, 2)
    two.delete()
    assert drain().processed == 1 and not Cluster.objects.exists() and not has_pending("default")


def test_the_rest_of_a_group_gets_another_representative_meanwhile(lost):
    one, two, three = lost
    one.delete()
    drain()
    assert Cluster.objects.get().leader == document(two)
    assert cluster(two) == cluster(three) and has_pending("default")
    assert Cluster.objects.get().leased_until is None  # its repair waits with the posts
    gathered()
    begin_generation(get_profile(), "default")
    for each in (two, three):
        mark(each)
    work()
    assert cluster(two) == cluster(three) is not None


def test_a_post_that_is_not_compared_any_more_leaves_meanwhile(lost, monkeypatch):
    one, *_ = lost
    monkeypatch.setattr(type(adapter_for(Ad)), "compared", lambda self: Ad.objects.filter(published=True))
    one.published = False
    one.save()
    drain()
    assert document(one).state == Document.State.SKIPPED and Cluster.objects.get().size == 2


def test_a_hidden_post_leads_no_group_meanwhile(lost):
    told = []
    one, two, three = lost
    one.published = False
    one.save()
    cluster_changed.connect(remember := lambda **values: told.append(values["document"].pk))
    drain()
    drain()
    cluster_changed.disconnect(remember)
    assert not document(one).live and document(one).pending_since is not None
    assert cluster(two).leader == document(two) and cluster(two) == cluster(three) == cluster(one)
    assert told == []  # it is where it was, though it leads no more
    gathered()
    begin_generation(get_profile(), "default")
    for each in lost:
        mark(each)
    work()
    assert cluster(one) == cluster(two) == cluster(three) and cluster(one).size == 3


def test_a_post_that_was_hidden_and_is_shown_again_meanwhile_may_lead(lost):
    one, *_ = lost
    one.published = False
    one.save()
    drain()
    one.published = True
    one.save()
    gathered()
    work()
    assert document(one).live and Cluster.objects.get().leader == document(one)


def test_posts_that_are_there_wait_and_are_looked_at_once(lost, monkeypatch):
    from django_neardup.pipeline import missing_statistics

    read, reader = [], missing_statistics.read_source
    monkeypatch.setattr(
        missing_statistics,
        "read_source",
        lambda row, *args, **more: read.append(row.pk) or reader(row, *args, **more),
    )
    one, two, _ = lost
    one.text += " Торг."
    one.save()
    post(CAT)
    for _ in range(3):
        assert drain().processed == 0
    assert read == [document(one).pk] and document(one).leased_until is None
    one.save()
    two.delete()
    assert drain().processed == 1
    assert len(read) == 3 and Cluster.objects.get().size == 2


def test_an_algorithm_that_may_use_statistics_does_so_once_they_are_there(settings):
    settings.NEARDUP = {"default": {"ALGORITHM": "profile-cosine"}}
    one, two = post(SOFA), post(SOFA + " И.")
    work()
    assert cluster(one) == cluster(two) is not None and "statistics" not in scheme().parameters
    snapshot, _ = gathered()
    assert algorithm_of(scheme()).statistics is None and database.check_schemes(databases=["default"]) == []
    begin_generation(get_profile(), "default")
    assert algorithm_of(scheme()).statistics.digest == snapshot.digest
    assert algorithm_of(scheme()).parameters() == scheme().parameters


def test_statistics_hold_no_telephone_and_no_address():
    for text in (SOFA, SOFA_EDITED):
        post(text + " Звоните +7 916 123-45-67, ivan.petrov@example.ru")
    terms = load_statistics(gathered()[0].digest, "default").terms
    assert "диван" in terms and not [term for term in terms if "916" in term or "@" in term]


def test_a_turn_that_finds_no_statistics_is_put_back(monkeypatch):
    from django_neardup.pipeline import worker as drainer

    monkeypatch.setattr(drainer, "unready_content_types", lambda using: set())
    one = post(SOFA)
    for _ in range(8):
        Document.objects.update(leased_until=None)
        drain()
    assert (document(one).state, document(one).attempts) == (Document.State.PENDING, 0)
    assert document(one).leased_until is not None


def test_hidden_posts_count_and_those_not_compared_do_not(monkeypatch):
    post(SOFA), post(PIANO, published=False)
    assert gathered()[0].documents == 2
    monkeypatch.setattr(type(adapter_for(Ad)), "compared", lambda self: Ad.objects.filter(published=True))
    assert gathered()[0].documents == 1


def test_a_sample_is_spread_over_all_posts():
    Ad.objects.bulk_create(
        Ad(text=f"Продаю дом номер {number} со всем, что в нём есть") for number in range(90)
    )
    read = [int(text.raw.split()[3]) for text in texts_of(get_profile(), "default", sample_size=9)]
    assert read == list(range(0, 90, 10))
    assert len(list(texts_of(get_profile(), "default", sample_size=90))) == 90
    assert len(list(texts_of(get_profile(), "default", sample_size=7))) == 7


def test_all_posts_are_read_few_at_a_time(monkeypatch, django_assert_num_queries):
    from django_neardup.pipeline import statistics_builder

    monkeypatch.setattr(statistics_builder, "BATCH", 10)
    Ad.objects.bulk_create(Ad(text=f"{SOFA} {number}") for number in range(25))
    models = 7
    with django_assert_num_queries(2 * models + 3):
        assert len(list(texts_of(get_profile(), "default"))) == 25


def test_a_post_that_cannot_be_read_is_left_out(monkeypatch, caplog):
    kind, (bad, _) = type(adapter_for(Ad)), (post(SOFA), post(PIANO))
    plain = kind.text
    monkeypatch.setattr(
        kind, "text", lambda self, ad: 1 / 0 if ad.pk == bad.pk else plain(self, ad), raising=False
    )
    assert gathered()[0].documents == 1
    assert f"testapp.Ad {bad.pk} cannot be read: ZeroDivisionError" in caplog.text


def test_no_posts_no_statistics():
    with pytest.raises(NoPostsToGather):
        gathered()
    assert not TermStatistics.objects.exists()


def test_each_database_has_its_own():
    Ad.objects.using("other").create(text=SOFA)
    with pytest.raises(NoPostsToGather):
        gathered("default")
    snapshot, _ = gathered("other")
    assert not TermStatistics.objects.exists()
    assert active_scheme(get_profile(), "other").parameters["statistics"] == snapshot.digest
    work("other")


def test_newer_statistics_are_no_matter_of_the_settings():
    post(SOFA)
    gathered()
    scheme()
    post(PIANO)
    gathered()
    assert database.check_schemes(databases=["default"]) == []


def test_the_settings_may_turn_to_an_algorithm_without(settings):
    post(SOFA)
    scheme()
    settings.NEARDUP = {"default": {"ALGORITHM": "neardup"}}
    assert profiles_lacking_statistics("default") == {"default"}
    begin_generation(get_profile(), "default")
    assert profiles_lacking_statistics("default") == set() and "statistics" not in scheme().parameters
    assert Scheme.objects.filter(state=Scheme.State.ACTIVE).count() == 1
    work()
