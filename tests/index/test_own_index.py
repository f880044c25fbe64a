"""An index of a site's own: the setting INDEX, and posts that find their copies through it."""

import re

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.db import transaction

import django_neardup as neardup
from django_neardup.comparison.bucket_matches import BucketLimit
from django_neardup.index import DatabaseIndex, KeyIndex, read_buckets
from django_neardup.index.index_class import get_index, uses_key_table
from django_neardup.models import Cluster, Fingerprint, Key
from tests import services
from tests.index.contract import stored_pairs
from tests.index.memory_index import MemoryIndex
from tests.pipeline.helpers import CAT, PIANO, SOFA, SOFA_EDITED, cluster, post, work
from tests.testapp.models import Ad

OWN = "tests.index.memory_index.MemoryIndex"
PAGE = services.ROOT / "docs" / "guide" / "key-index.md"


class RowCounter(DatabaseIndex):
    """Does more than the class that it extends."""


class Incomplete(KeyIndex):
    """Lacks the methods."""


NOT_AN_INDEX = 5


@pytest.fixture
def own_index(transactional_db, settings):
    settings.NEARDUP = {"default": {"BACKEND": None, "INDEX": OWN}}
    return get_index("default")


def declared_pairs():
    """Return the pairs that the fingerprints declare."""
    return sorted(
        (key, row.document_id)
        for row in Fingerprint.objects.all()
        for key in memoryview(bytes(row.keys)).cast("q")
    )


def test_posts_find_their_copies(own_index):
    one, two, other = post(SOFA), post(SOFA_EDITED), post(CAT)
    work()
    assert cluster(one) == cluster(two) is not None and cluster(other) is None
    assert stored_pairs() == declared_pairs() != []
    assert not Key.objects.exists()
    assert [match.object for match in neardup.find_similar(CAT, Ad)] == [other]

    two.text = PIANO
    two.save()
    copy = post(SOFA)
    work()
    assert cluster(one) == cluster(copy) is not None and cluster(two) is None
    assert stored_pairs() == declared_pairs()

    for each in (one, two, copy, other):
        each.delete()
    work()
    assert stored_pairs() == [] and not Cluster.objects.exists()


def test_a_first_index_fills_it(own_index):
    Ad.objects.bulk_create(Ad(text=text) for text in (SOFA, SOFA_EDITED, PIANO, PIANO, CAT))
    call_command("neardup_index", no_progress=True, verbosity=0)
    assert sorted(Cluster.objects.values_list("size", flat=True)) == [2, 2]
    assert stored_pairs() == declared_pairs() != []
    assert not Key.objects.exists()


def test_a_site_that_changes_to_it_builds_a_new_generation(transactional_db, settings):
    posts = [post(SOFA), post(SOFA_EDITED)]
    work()
    settings.NEARDUP = {"default": {"BACKEND": None, "INDEX": OWN}}
    call_command("neardup_index", rebuild=True, no_progress=True, verbosity=0)
    assert stored_pairs() == declared_pairs() != []
    copy = post(SOFA)
    work()
    assert {cluster(each) for each in posts} == {cluster(copy)}


def test_a_database_has_one_instance(own_index, settings):
    assert isinstance(own_index, MemoryIndex)
    assert get_index("default") is own_index is not get_index("other")
    assert own_index.using == "default"
    settings.NEARDUP = {}
    assert type(get_index("default")) is DatabaseIndex


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("django_neardup.index.DatabaseIndex", True),
        ("django_neardup.index.database.DatabaseIndex", True),
        ("tests.index.test_own_index.RowCounter", False),
        (OWN, False),
    ],
)
def test_only_the_class_itself_leaves_its_rows_to_others(settings, path, expected):
    settings.NEARDUP = {"default": {"INDEX": path}}
    assert uses_key_table("default") is expected


@pytest.mark.parametrize(
    ("path", "message"),
    [
        (["rows"], "INDEX is ['rows'], not the dotted path of a class."),
        (None, "INDEX is None, not"),
        ("rows", "INDEX 'rows' cannot be imported"),
        ("no.such.Index", "INDEX 'no.such.Index' cannot be imported: No module named 'no'."),
        (
            "django_neardup.index.DatabseIndex",
            "(did you mean 'django_neardup.index.DatabaseIndex'?) cannot be imported",
        ),
        ("tests.index.memory_index.MemoryIdx", f"(did you mean '{OWN}'?)"),
        ("tests.index.test_own_index.NOT_AN_INDEX", "is no subclass of django_neardup.index.KeyIndex."),
        ("django_neardup.index.read_buckets", "is no subclass of"),
        ("tests.index.test_own_index.Incomplete", "cannot be created: Can't instantiate abstract class"),
    ],
)
def test_a_wrong_path_is_refused_in_a_sentence(settings, path, message):
    settings.NEARDUP = {"default": {"INDEX": path}}
    with pytest.raises(ImproperlyConfigured, match=re.escape(message)):
        read_buckets("default", [1], BucketLimit(0, 1))


def test_the_page_shows_this_index():
    _, shown, *_ = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.M | re.S)
    assert shown == (services.ROOT / "tests" / "index" / "memory_index.py").read_text().partition("\n\n")[2]


def test_changes_wait_for_the_commit(own_index):
    with transaction.atomic():
        own_index.change(1, (), [5])
        assert stored_pairs() == []
    assert stored_pairs() == [(5, 1)]
