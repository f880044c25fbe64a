"""The secret of the hashes: a random one in the database, or the setting SECRET, of which it holds a digest."""

import base64

import pytest
from django.core.management import call_command
from django.db import connection

import django_neardup as neardup
from django_neardup.checks import database
from django_neardup.exceptions import SecretMissing
from django_neardup.models import Document, KeyPhrase, Scheme
from django_neardup.pipeline import drain
from django_neardup.pipeline.hash_secrets import secret_of
from tests.pipeline.helpers import SOFA, cluster, document, post, work
from tests.testapp.models import Ad

pytestmark = pytest.mark.django_db

SECRET = "a long secret of this site, which no dump may hold: йцукен"


@pytest.fixture
def use(settings):
    """Set SECRET, or leave it out."""

    def change(secret):
        settings.NEARDUP = {"default": {**settings.NEARDUP["default"], "SECRET": secret}}

    return change


def two_posts():
    KeyPhrase.objects.create(text="диван")
    first, second = (post(f"{SOFA} Звоните 8 912 345-67-89", phone="8 912 345-67-89") for _ in range(2))
    work()
    assert cluster(first) == cluster(second) is not None
    return first, second


def dump():
    """Return every value of every table as bytes, texts also as lower case."""
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)}")
            for row in cursor.fetchall():
                for value in row:
                    data = bytes(value) if isinstance(value, memoryview | bytes) else str(value).encode()
                    yield data
                    yield data.lower()


def forms_of(secret):
    """Return how a secret could stand in a dump: as it is, in hexadecimal digits, in base64 at each offset."""
    yield from (secret, secret.hex().encode(), secret.hex().upper().encode())
    for offset in range(3):
        yield base64.b64encode(b"\0" * offset + secret)[4:-4]


def is_dumped(secret):
    forms = [*forms_of(secret)]
    return any(form in value for value in dump() for form in forms)


def test_a_dump_does_not_hold_the_secret_of_the_settings(use):
    use(SECRET)
    two_posts()
    key = secret_of(Scheme.objects.get())
    assert key == SECRET.encode()[:32]
    assert not is_dumped(SECRET.encode()) and not is_dumped(key)


def test_control_a_random_secret_is_dumped(use):
    use(None)
    two_posts()
    assert is_dumped(secret_of(Scheme.objects.get()))


def test_equal_settings_make_equal_hashes(use):
    use(SECRET)
    two_posts()
    before = secret_of(Scheme.objects.get()), Scheme.objects.get().secret
    call_command("neardup_index", rebuild=True, verbosity=0)
    after = Scheme.objects.get(state="active")
    assert (secret_of(after), after.secret) == before


class TestChanged:
    """SECRET was set, and is another one now, or gone."""

    @pytest.fixture(params=["another", None], ids=["changed", "gone"])
    def lost(self, request, use):
        use(SECRET)
        posts = two_posts()
        use(request.param)
        return posts

    def test_a_search_says_what_to_do(self, lost):
        with pytest.raises(SecretMissing, match="neardup_index --rebuild"):
            neardup.find_similar(SOFA, Ad)

    def test_posts_wait_and_none_is_quarantined(self, lost, use):
        late = post(SOFA)
        for _ in range(3):
            drain("default")
        row = document(late)
        assert row.state != Document.State.QUARANTINED and row.wanted > row.done
        use(SECRET)
        Document.objects.update(leased_until=None)
        work()
        assert cluster(late) == cluster(lost[0])

    def test_a_rebuild_makes_another_index(self, lost):
        call_command("neardup_index", rebuild=True, verbosity=0)
        assert database.check_schemes(databases=["default"]) == []
        first, second = lost
        assert cluster(first) == cluster(second) is not None
        assert neardup.find_similar(SOFA, Ad)
        assert secret_of(Scheme.objects.get(state="active")) != SECRET.encode()[:32]


def test_a_random_secret_is_kept_until_a_rebuild_takes_that_of_the_settings(use):
    use(None)
    two_posts()
    use(SECRET)
    assert [message.id for message in database.check_schemes(databases=["default"])] == ["neardup.W106"]
    assert neardup.find_similar(SOFA, Ad)
    call_command("neardup_index", rebuild=True, verbosity=0)
    assert database.check_schemes(databases=["default"]) == []
    assert secret_of(Scheme.objects.get(state="active")) == SECRET.encode()[:32]
