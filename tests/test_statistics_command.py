"""neardup_statistics, and neardup_index where statistics are needed, as an operator meets them."""

import io

import pytest
from django.core.management import CommandError, call_command

from django_neardup.adapters import adapter_for
from django_neardup.conf import get_profile
from django_neardup.models import Cluster, Document, Scheme, TermStatistics
from django_neardup.pipeline.statistics_builder import gather_statistics
from django_neardup.pipeline.statistics_store import load_statistics
from tests.pipeline.helpers import CAT, PIANO, SOFA, SOFA_EDITED, cluster, document, post, work
from tests.testapp.models import Ad, ScopedPost

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "other"])

SAME = SOFA + " И."


@pytest.fixture
def rare(settings):
    settings.NEARDUP = {"default": {"ALGORITHM": "tf-idf"}}


def run(*args, **options):
    out = io.StringIO()
    call_command(*args, stdout=out, **options)
    return out.getvalue()


def test_it_says_what_was_gathered_and_what_comes_next(rare):
    for text in (SOFA, SOFA_EDITED, PIANO):
        post(text)
    said = run("neardup_statistics").splitlines()
    made = TermStatistics.objects.get()
    assert said == [
        f"Profile default, statistics 1: 3 posts, {made.words} words in two or more of them, "
        f"{made.average_length:.1f} words per post; digest {made.digest}.",
        "Next: python manage.py neardup_index. A worker processes the posts that are already pending.",
    ]
    work()
    assert "(unchanged)" in run("neardup_statistics")
    post(CAT)
    said = run("neardup_statistics").splitlines()
    assert said[0].startswith("Profile default, statistics 2: 4 posts")
    assert said[1].startswith("The active scheme still uses statistics 1.") and "--rebuild" in said[1]


def test_posts_that_waited_are_seen_to_by_the_worker(rare):
    post(SOFA)
    assert run("neardup_worker", once=True) == "0 posts processed.\n"
    run("neardup_statistics")
    assert run("neardup_worker", once=True) == "1 post processed.\n"
    assert "The active scheme uses them" in run("neardup_statistics")


def test_the_doorbell_tells_of_posts_that_waited(settings):
    settings.NEARDUP = {"default": {"ALGORITHM": "tf-idf", "BACKEND": "inline"}}
    one = post(SOFA)
    assert document(one).state == Document.State.PENDING
    run("neardup_statistics")
    assert document(one).state == Document.State.INDEXED


def test_older_snapshots_go(rare):
    post(SOFA)
    run("neardup_index", no_progress=True)
    for text in (PIANO, CAT, SOFA_EDITED):
        post(text)
        said = run("neardup_statistics")
    assert "Removed 1 older snapshot that no scheme uses." in said
    assert list(TermStatistics.objects.order_by("number").values_list("number", flat=True)) == [1, 3, 4]
    listed = run("neardup_statistics", list=True).splitlines()
    assert [line.split(":")[0] for line in listed] == ["default 1", "default 3", "default 4"]
    assert listed[0].endswith("; in use") and ";" not in listed[1] and listed[2].endswith("; newest")


def test_a_list_of_none():
    assert run("neardup_statistics", list=True) == "There are no statistics.\n"


def test_a_profile_that_needs_none_is_named_to_be_gathered(settings):
    post(SOFA)
    said = run("neardup_statistics")
    assert "These algorithms do: " in said and "tf-idf" in said and not TermStatistics.objects.exists()
    said = run("neardup_statistics", profile="default")
    assert TermStatistics.objects.get().documents == 1 and "Next: python manage.py neardup_index." in said
    work()
    assert "The active scheme, neardup, needs no statistics." in run("neardup_statistics", profile="default")


def test_an_algorithm_that_may_use_statistics(settings):
    settings.NEARDUP = {"default": {"ALGORITHM": "profile-cosine"}}
    post(SOFA)
    assert "needs statistics" not in run("neardup_index", no_progress=True)
    assert not TermStatistics.objects.exists()
    said = run("neardup_statistics")
    assert "The active scheme, profile-cosine, was built without statistics. To use these, run" in said
    run("neardup_index", no_progress=True, rebuild=True)
    active = Scheme.objects.get(state=Scheme.State.ACTIVE)
    assert active.parameters["statistics"] == TermStatistics.objects.get().digest


def test_a_profile_without_posts_does_not_keep_the_others_from_statistics(settings, monkeypatch):
    settings.NEARDUP = {
        "default": {"ALGORITHM": "tf-idf", "BACKEND": "inline"},
        "a-empty": {"ALGORITHM": "tf-idf"},
    }
    monkeypatch.setattr(type(adapter_for(ScopedPost)), "profile", "a-empty")
    one = post(SOFA)
    with pytest.raises(CommandError, match="profile 'a-empty' has no post that can be compared"):
        run("neardup_statistics")
    assert TermStatistics.objects.get().profile == "default"
    assert document(one).state == Document.State.INDEXED


class Apart:
    """Scoped posts are not in the default database, though it has a table of that name."""

    def allow_migrate(self, db, app_label, model_name=None, **hints):
        return False if (db, model_name) == ("default", "scopedpost") else None


def test_a_profile_of_models_that_are_elsewhere_is_left_out(settings, monkeypatch):
    settings.NEARDUP = {"default": {"ALGORITHM": "tf-idf"}, "away": {"ALGORITHM": "tf-idf"}}
    settings.DATABASE_ROUTERS = [f"{__name__}.Apart"]
    monkeypatch.setattr(type(adapter_for(ScopedPost)), "profile", "away")
    post(SOFA)
    assert run("neardup_statistics").startswith("Profile default, statistics 1: 1 post,")
    with pytest.raises(CommandError, match="No registered model in this database has the profile 'away'"):
        run("neardup_statistics", profile="away")


def test_a_sample(rare):
    Ad.objects.bulk_create(Ad(text=f"{SOFA} {number}") for number in range(20))
    run("neardup_statistics", sample=5)
    assert TermStatistics.objects.get().documents == 5


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"profile": "none"}, "no profile 'none'"),
        ({"profile": "none", "list": True}, "no profile 'none'"),
        ({"sample": -1}, "--sample"),
        ({"profile": "spare"}, "No registered model"),
        ({}, "no post that can be compared"),
    ],
)
def test_what_cannot_be_done_is_said(options, says, settings):
    settings.NEARDUP = {"default": {"ALGORITHM": "tf-idf"}, "spare": {}}
    with pytest.raises(CommandError, match=says):
        run("neardup_statistics", **options)


def test_the_other_database(rare):
    Ad.objects.using("other").create(text=SOFA)
    run("neardup_statistics", database="other")
    assert TermStatistics.objects.using("other").exists() and not TermStatistics.objects.exists()


def test_an_index_gathers_what_is_missing_first(rare):
    Ad.objects.bulk_create([Ad(text=text) for text in (SOFA, SAME, PIANO)])
    said = run("neardup_index", no_progress=True).splitlines()
    assert said[0] == "Profile default: tf-idf needs statistics of the posts. They are collected first."
    assert said[1].startswith("Statistics 1: 3 posts")
    assert said[-1].startswith("3 posts, 1 group, 1 duplicate")
    assert "Statistics" not in run("neardup_index", no_progress=True)


def test_a_rebuild_takes_the_newest(rare):
    one, two = post(SOFA), post(SAME)
    run("neardup_index", no_progress=True)
    first = Scheme.objects.get().parameters["statistics"]
    post(PIANO)
    newest, _ = gather_statistics(get_profile(), "default")
    assert "collected first" not in run("neardup_index", no_progress=True, rebuild=True)
    active = Scheme.objects.get(state=Scheme.State.ACTIVE)
    assert active.parameters["statistics"] == newest.digest != first
    assert cluster(one) == cluster(two) is not None


def test_a_rebuild_gathers_where_the_new_algorithm_needs_them(settings):
    one, two = post(SOFA), post(SAME)
    run("neardup_index", no_progress=True)
    settings.NEARDUP = {"default": {"ALGORITHM": "tf-ridf"}}
    assert "tf-ridf needs statistics" not in run("neardup_index", no_progress=True)
    assert "tf-ridf needs statistics" in run("neardup_index", no_progress=True, rebuild=True)
    assert Scheme.objects.get(state=Scheme.State.ACTIVE).algorithm == "tf-ridf"
    assert cluster(one) == cluster(two) is not None


@pytest.mark.parametrize("options", [{}, {"reconcile": True}])
def test_an_index_whose_statistics_are_lost_is_to_be_built_anew(options, rare):
    one, two = post(SOFA), post(SAME)
    run("neardup_index", no_progress=True)
    TermStatistics.objects.all().delete()
    load_statistics.cache_clear()
    post(PIANO)
    with pytest.raises(
        CommandError, match=r"Profile default: .* are lost\. .* --rebuild: it collects"
    ) as stopped:
        run("neardup_index", no_progress=True, **options)
    assert stopped.value.returncode == 1 and not TermStatistics.objects.exists()
    run("neardup_statistics")
    assert "The statistics of the active scheme are lost, so its posts wait." in run("neardup_statistics")
    assert (
        run("neardup_index", no_progress=True, rebuild=True).splitlines()[-1].startswith("3 posts, 1 group")
    )
    assert cluster(one) == cluster(two) is not None


def test_a_rebuild_of_some_models_is_refused_before_anything_is_counted(rare):
    post(SOFA)
    with pytest.raises(CommandError, match="Do not name models"):
        run("neardup_index", "testapp.Ad", no_progress=True, rebuild=True)
    assert not TermStatistics.objects.exists()


def test_an_empty_site_is_indexed_all_the_same(rare):
    said = run("neardup_index", no_progress=True)
    assert "no statistics, since" in said and said.splitlines()[-1].startswith("0 posts")


def test_a_dry_run_gathers_nothing_and_says_what_would_be(rare):
    post(SOFA)
    said = run("neardup_index", no_progress=True, dry_run=True).splitlines()
    assert said[0] == "Profile default: tf-idf needs statistics of the posts. They would be collected first."
    assert "testapp.Ad: 1 posts would be read and compared." in said
    told = run("neardup_index", no_progress=True, dry_run=True, rebuild=True).splitlines()
    assert told == [said[0], "Profile default: generation 2, tf-idf, would be started.", *said[1:]]
    assert (
        not TermStatistics.objects.exists() and not Cluster.objects.exists() and not Scheme.objects.exists()
    )
    assert Document.objects.get().state == Document.State.PENDING


@pytest.mark.engine_alike
def test_a_dry_run_is_refused_where_the_index_would_be(rare):
    post(SOFA)
    run("neardup_index", no_progress=True)
    TermStatistics.objects.all().delete()
    load_statistics.cache_clear()
    for options in {}, {"reconcile": True}:
        with pytest.raises(CommandError, match="statistics of the active scheme are lost"):
            run("neardup_index", no_progress=True, dry_run=True, **options)
    assert "generation 2" in run("neardup_index", no_progress=True, dry_run=True, rebuild=True)


@pytest.mark.engine_alike
def test_an_index_of_some_models_says_that_others_wait_for_statistics(settings, monkeypatch):
    settings.NEARDUP = {"default": {}, "rare": {"ALGORITHM": "tf-idf"}}
    monkeypatch.setattr(type(adapter_for(ScopedPost)), "profile", "rare")
    ScopedPost.objects.create(site=1, text=SOFA)
    with pytest.raises(
        CommandError, match=r"there are no statistics for the profile rare\. .* lost\.$"
    ) as error:
        run("neardup_index", "testapp.Ad", no_progress=True)
    assert error.value.returncode == 1
