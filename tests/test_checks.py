"""System checks: each speaks of its own fault, with its id and a hint, and is silent otherwise."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.core import checks as django_checks
from django.core.management import CommandError, call_command
from django.db import connection, models
from django.db.migrations.recorder import MigrationRecorder
from django.test import override_settings
from django.test.utils import isolate_apps

import django_neardup as neardup
from django_neardup import registry
from django_neardup.adapters import adapter_for
from django_neardup.algorithms.rcdl2007.md5 import MD5
from django_neardup.api.throttling import Throttle
from django_neardup.checks import (
    CHECK_TAG,
    DATABASE_CHECKS,
    SETTINGS_CHECKS,
    adapters,
    database,
    heads,
    hook_names,
    profiles,
    publication,
    relations,
    seo,
    site,
    site_kinds,
    unfinished_work,
)
from django_neardup.checks import seo as moved
from django_neardup.checks import site as throttle
from django_neardup.checks.messages import CHECK_DESCRIPTIONS, check_message
from django_neardup.conf import SETTINGS, SITE, InstanceOf, NumberFrom, NumberOrNone, get_profile
from django_neardup.judge.version import JUDGE_VERSION
from django_neardup.middleware import MovedUrlMiddleware
from django_neardup.models import (
    Cluster,
    Document,
    Fingerprint,
    IndexRange,
    KeyChange,
    KeyIndexState,
    KeyPhrase,
    MovedUrl,
    Pair,
    Scheme,
)
from django_neardup.models.fields import DatabaseClock
from django_neardup.pipeline import drain
from django_neardup.pipeline.availability import has_current_tables
from django_neardup.pipeline.backfill import begin_pass, ranges
from django_neardup.pipeline.schemes import active_scheme, begin_generation
from django_neardup.pipeline.statistics_builder import gather_statistics
from tests import builders
from tests.grouped_lists import rows
from tests.pipeline.helpers import SOFA
from tests.testapp.models import Ad, Article, Comment, LongArticle, Reply, ScopedPost, Topic, UuidPost

DOCUMENT = Path(__file__).parent.parent / "docs" / "reference" / "checks.md"


def ids(messages):
    for message in messages:
        assert message.hint, message
        assert message.msg.endswith("."), message
    return [message.id.removeprefix("neardup.") for message in messages]


def with_profile(**values):
    return override_settings(NEARDUP={"default": values})


@pytest.fixture
def alone(monkeypatch):
    """An empty register: only what the test registers is there."""
    monkeypatch.setattr(registry, "_registry", {})


def registered(model, base=neardup.Adapter, **attributes):
    attributes = {"fields": ["text"], **attributes}
    neardup.register(model)(type("TestAdapter", (base,), attributes))


@pytest.fixture
def command(monkeypatch):
    return lambda *names: monkeypatch.setattr(sys, "argv", ["manage.py", *names])


# The setting ----------------------------------------------------------------------------------------------


def test_a_healthy_site_hears_nothing():
    assert [
        message for check in SETTINGS_CHECKS for message in check() if not message.id.endswith("W103")
    ] == []


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ([], "NEARDUP is a list"),
        ({"LANGUAGE": "ru"}, "NEARDUP['LANGUAGE'] is a str"),
        ({"default": None}, "NEARDUP['default'] is a NoneType"),
        ({1: {}}, "NEARDUP[1] is a dict"),
        ({"default": {"LANGAUGE": "ru"}}, "unknown key 'LANGAUGE'"),
        ({"other": {"X": 1, 2: 3}}, "NEARDUP['other'] has an unknown key"),
        ({"default": {"OPTIONS": []}}, "OPTIONS is []"),
        ({"default": {"QUEUE": None}}, "QUEUE is None"),
        ({"default": {"SECRET": b"x"}}, "SECRET is b'x'"),
        ({"default": {"SYNONYMS": ["a b"]}}, "SYNONYMS is ['a b']"),
    ],
)
def test_e001_shape(value, says):
    with override_settings(NEARDUP=value):
        messages = profiles.check_shape()
        assert set(ids(messages)) == {"E001"}
        assert says in messages[0].msg
        for check in SETTINGS_CHECKS:
            check()


def test_e001_names_the_key_that_was_meant():
    with with_profile(LANGAUGE="ru"):
        assert "Did you mean LANGUAGE?" in profiles.check_shape()[0].hint


def test_e001_unknown_profile_of_an_adapter(alone):
    registered(Ad, profile="products")
    assert ids(adapters.check_profile()) == ["E001"]
    with override_settings(NEARDUP={"products": {}}):
        assert adapters.check_profile() == []


@pytest.mark.parametrize("backend", ["celery", "RQ", "", [], 1])
def test_e002_backend(backend):
    with with_profile(BACKEND=backend):
        assert ids(profiles.check_backend()) == ["E002"]


@pytest.mark.parametrize("backend", ["inline", None])
def test_e002_silent(backend):
    with with_profile(BACKEND=backend):
        assert profiles.check_backend() == []


@pytest.mark.parametrize(
    "values",
    [
        {"ALGORITHM": "simhahs"}, {"ALGORITHM": "no.such.path"}, {"ALGORITHM": None}, {"ALGORITHM": 3},
        {"OPTIONS": {"invented": 1}}, {"ALGORITHM": "django.db.models.Model"}, {"ALGORITHM": ["neardup"]},
    ],
)  # fmt: skip
def test_e003_algorithm(values):
    with with_profile(**values):
        assert ids(profiles.check_algorithm()) == ["E003"]
        assert "neardup" in profiles.check_algorithm()[0].hint


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("simhahs", "simhash"), ("NearDup", "neardup"), ("minhash_lsh", "minhash-lsh"),
        ("neardup-article", "neardup-articles"),
        ("django_neardup.algorithms.default.neardup.NearDub", "NearDup"),
        ("django_neardup.algorithms.default.neardup.neardup", "NearDup"),
    ],
)  # fmt: skip
def test_e003_names_the_algorithm_that_was_meant(name, meant):
    with with_profile(ALGORITHM=name):
        (message,) = profiles.check_algorithm()
        assert f"did you mean {meant!r}?" in message.msg


def test_e003_suggests_nothing_that_is_unlike():
    with with_profile(ALGORITHM="folklore"):
        assert "did you mean" not in profiles.check_algorithm()[0].msg


def test_e003_batch():
    with with_profile(ALGORITHM="decomposition"):
        messages = profiles.check_algorithm()
        assert ids(messages) == ["E003"]
        assert "for the bench alone" in messages[0].msg


class Own(MD5):
    """A site's own algorithm, whose constructor knows of no guard."""

    name = "own"

    def __init__(self, *, duplicate=1.0, review=1.0):
        super().__init__(duplicate=duplicate, review=review)


def test_e003_an_algorithm_that_the_pipeline_cannot_make():
    with with_profile(ALGORITHM=f"{__name__}.Own"):
        messages = profiles.check_algorithm()
        assert ids(messages) == ["E003"]
        assert "'guard'" in messages[0].msg and "guard=True" in messages[0].hint


@pytest.mark.parametrize(
    "options", [{"ignored_differences": {"price"}}, {"ignored_differences": (), "guard": b""}]
)
def test_e003_options_that_cannot_be_stored(options):
    with with_profile(OPTIONS=options):
        messages = profiles.check_algorithm()
        assert ids(messages) == ["E003"]
        assert "cannot be stored as JSON" in messages[0].msg


def test_e003_a_number_that_json_has_not():
    with with_profile(ALGORITHM="shingles", OPTIONS={"duplicate": float("nan")}):
        assert ids(profiles.check_algorithm()) == ["E003"]


def test_e003_silent():
    with with_profile(ALGORITHM="neardup", OPTIONS={"word_guard": False}):
        assert profiles.check_algorithm() == []


def test_e008_django_rq_is_not_installed(monkeypatch):
    monkeypatch.setattr(profiles, "find_spec", lambda name: None)
    with with_profile(BACKEND="rq"):
        messages = profiles.check_backend()
        assert ids(messages) == ["E008"]
        assert "pip install" in messages[0].hint


def test_e008_django_rq_is_not_among_the_apps():
    with with_profile(BACKEND="rq"):
        messages = profiles.check_backend()
        assert ids(messages) == ["E008"]
        assert "INSTALLED_APPS" in messages[0].msg


@pytest.mark.parametrize(("queue", "expected"), [("default", []), ("low", ["E008"])])
def test_e008_queue(queue, expected, monkeypatch):
    monkeypatch.setattr(profiles.apps, "is_installed", lambda name: True)
    with override_settings(
        NEARDUP={"default": {"BACKEND": "rq", "QUEUE": queue}},
        RQ_QUEUES={"default": {"HOST": "127.0.0.1", "PORT": 1}},
    ):
        assert ids(profiles.check_backend()) == expected


def test_e009_without_tasks(monkeypatch):
    monkeypatch.setattr(
        profiles.queues, "configuration_problem", lambda backend, queue: "Django has no tasks."
    )
    with with_profile(BACKEND="tasks"):
        assert ids(profiles.check_backend()) == ["E009"]


@pytest.mark.parametrize("language", ["russian", "", None, 7, "ru ", "r", "ру"])
def test_e010_language(language, alone):
    with with_profile(LANGUAGE=language):
        assert ids(profiles.check_language()) == ["E010"]
    if language is not None:
        registered(Ad, language=language)
        assert ids(adapters.check_language()) == ["E010"]


@pytest.mark.parametrize("language", ["ru", "en", "pt-br", "zh_Hans", "uk"])
def test_e010_silent(language, alone):
    registered(Ad, language=language)
    with with_profile(LANGUAGE=language):
        assert profiles.check_language() == adapters.check_language() == []


@pytest.mark.parametrize(
    ("language", "meant"),
    [
        ("russian", "ru"), ("Russian", "ru"), ("русский", "ru"), ("russion", "ru"), ("ukrainian", "uk"),
        ("український", "uk"), ("folklore", None), ("Deutsch", "de"), ("r", None), ("", None), (7, None),
    ],
)  # fmt: skip
def test_e010_names_the_language_that_was_meant(language, meant, alone):
    registered(Ad, language=language)
    with with_profile(LANGUAGE=language):
        for message in (*profiles.check_language(), *adapters.check_language()):
            assert ("Did you mean" in message.hint) == (meant is not None)
            assert meant is None or f'Did you mean "{meant}"' in message.hint


@pytest.mark.parametrize(
    ("language", "meant"),
    [
        ("ua", "uk"), ("UA", "uk"), ("cz-CZ", "cs"), ("rus", "ru"), ("eng", "en"), ("kaz", "kk"), ("xx", None),
        ("chv", None),
    ],
)  # fmt: skip
def test_w115_unknown_language(language, meant, alone):
    registered(Ad, language=language)
    with with_profile(LANGUAGE=language):
        messages = [*profiles.check_unknown_language(), *adapters.check_unknown_language()]
    assert ids(messages) == ["W115"] * 2
    assert [message.obj for message in messages] == [None, Ad]
    assert all((f'Did you mean "{meant}"' in message.hint) == (meant is not None) for message in messages)


@pytest.mark.parametrize(
    "language", ["ru", "RU", "ru_RU", "en-gb", "uk", "yi", "tt", "zh-hans", "zh", None, "russian"]
)
def test_w115_silent(language, alone):
    registered(Ad, language=language)
    with with_profile(LANGUAGE=language):
        assert profiles.check_unknown_language() == adapters.check_unknown_language() == []


def test_w115_a_language_of_the_site(settings):
    settings.LANGUAGES = [("ru", "Russian"), ("chv", "Chuvash")]
    with with_profile(LANGUAGE="chv"):
        assert profiles.check_unknown_language() == []


NUMBERS = [setting for setting in SETTINGS.values() if isinstance(setting.value_type, NumberFrom)]


@pytest.mark.parametrize("setting", NUMBERS, ids=lambda setting: setting.name)
def test_e011_numbers(setting):
    minimum = setting.value_type.minimum
    wrong_values = [
        minimum - 1,
        minimum / 2 - 0.001,
        str(setting.default),
        True,
        float("nan"),
        float("inf"),
    ]
    wrong_values += [minimum + 0.5] if setting.value_type.is_whole else []
    wrong_values += [] if isinstance(setting.value_type, NumberOrNone) else [None]
    for value in wrong_values:
        with with_profile(**{setting.name: value}):
            messages = profiles.check_numbers()
            assert ids(messages) == ["E011"], value
            assert setting.name in messages[0].msg
    with with_profile(**{setting.name: minimum}):
        assert profiles.check_numbers() == []


@pytest.mark.parametrize(
    "setting",
    [setting for setting in SETTINGS.values() if isinstance(setting.value_type, InstanceOf)],
    ids=lambda setting: setting.name,
)
def test_e001_types(setting):
    with with_profile(**{setting.name: 1.5}):
        messages = profiles.check_shape()
        assert ids(messages) == ["E001"]
        assert messages[0].hint == f"Write {setting.value_type.description}."


@pytest.mark.parametrize("name", [setting.name for setting in SETTINGS.values() if setting.scope == SITE])
def test_w113_settings_of_the_site(name):
    values = {name: SETTINGS[name].default}
    with override_settings(NEARDUP={"default": values, "articles": {"LANGUAGE": "en"}}):
        assert profiles.check_scope() == []
    with override_settings(NEARDUP={"default": {}, "articles": {"LANGUAGE": "en", **values}}):
        messages = profiles.check_scope()
        assert ids(messages) == ["W113"]
        assert f"NEARDUP['articles']: {name}" in messages[0].msg


def test_e011_of_an_adapter(alone):
    registered(Ad, min_words=-1)
    registered(Topic, min_words=0)
    messages = adapters.check_numbers()
    assert (ids(messages), messages[0].obj) == (["E011"], Ad)


def test_e011_silent():
    with with_profile(MIN_WORDS=0, POLL_SECONDS=0.5, LATE_SECONDS=90.5):
        assert profiles.check_numbers() == []


# Adapters -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("attribute", "value"),
    [
        ("fields", ["title", "body"]), ("fields", "text"), ("fields", None), ("fields", ["tags"]),
        ("fields", ["comments"]), ("fields", [3]), ("contacts", ["mail"]), ("identity", ["ean"]),
        ("scope", ["site"]), ("scope", [["site"]]), ("heads", ["body"]), ("heads", "title"),
        ("fields", {"title", "text"}), ("contacts", {"phone"}), ("identity", {"sku"}), ("scope", frozenset(["sku"])),
        ("fields", ["__str__"]), ("fields", ["get_absolute_url"]), ("contacts", ["favourite_set"]),
        ("fields", ["notes"]), ("fields", ["objects"]), ("fields", ["favourite"]), ("watch", ["visible"]),
        ("watch", ["tags"]), ("watch", ["get_absolute_url"]), ("watch", "published"),
        ("order", "created"), ("order", "text__nothing"), ("order", "author__age"), ("order", "tags"),
        ("order", None),
    ],
)  # fmt: skip
def test_e004_names(attribute, value, alone):
    registered(Ad, **{attribute: value})
    messages = adapters.check_names()
    assert ids(messages) == ["E004"]
    assert messages[0].obj is Ad
    assert attribute in messages[0].msg


@pytest.mark.parametrize(
    "attributes",
    [
        {"fields": ("title", "text"), "contacts": ["phone"], "identity": ["sku"], "scope": ["author_id"]},
        {"fields": ["author"], "watch": ["published", "author", "author_id"]},
        {"order": "-hits"}, {"order": "author__name"}, {"order": "statistics__views"},
        {"fields": ["pk", "statistics"]}, {"watch": {"published", "author"}},
    ],
)  # fmt: skip
def test_e004_silent(attributes, alone):
    registered(Ad, **attributes)
    assert adapters.check_names() == []


def test_e005_text(alone):
    registered(Ad, fields=[])
    registered(Topic, fields=[], text=lambda self, instance: "")
    messages = adapters.check_text()
    assert (ids(messages), messages[0].obj) == (["E005"], Ad)


@isolate_apps("tests.testapp")
def test_e006_composite_key(alone):
    class Composite(models.Model):
        pk = models.CompositePrimaryKey("one", "two")
        one = models.IntegerField()
        two = models.IntegerField()
        text = models.TextField()

        class Meta:
            app_label = "testapp"

    registered(Composite)
    registered(UuidPost)
    messages = adapters.check_key()
    assert (ids(messages), messages[0].obj) == (["E006"], Composite)


@isolate_apps("tests.testapp")
def test_e006_long_key(alone):
    class Page(models.Model):
        url = models.URLField(primary_key=True, max_length=500)

        class Meta:
            app_label = "testapp"

    registered(Page)
    registered(UuidPost)
    messages = adapters.check_key()
    assert (ids(messages), "up to 500 characters" in messages[0].msg) == (["E006"], True)


@pytest.mark.parametrize(
    ("key", "says"),
    [
        (models.CharField(max_length=300), "up to 300 characters"),
        (models.TextField(), "of any length"),
        (models.CharField(), "of any length"),
        (models.CharField(max_length=255), None),
    ],
    ids=str,
)
@isolate_apps("tests.testapp")
def test_e006_a_key_that_is_anothers(key, says, alone):
    class Parent(models.Model):
        code = type(key)(primary_key=True, max_length=key.max_length)

        class Meta:
            app_label = "testapp"

    class Child(Parent):
        class Meta:
            app_label = "testapp"

    class Beside(models.Model):
        parent = models.OneToOneField(Parent, models.CASCADE, primary_key=True)

        class Meta:
            app_label = "testapp"

    for model in (Parent, Child, Beside):
        registered(model)
    messages = adapters.check_key()
    assert ids(messages) == (["E006"] * 3 if says else [])
    assert all(says in message.msg for message in messages)


def test_e007_partners(alone):
    registered(Topic, compare_with={Reply})
    messages = adapters.check_partners()
    assert (ids(messages), "Reply has no adapter" in messages[0].msg) == (["E007"], True)
    registered(Reply)
    assert adapters.check_partners() == []


@pytest.mark.parametrize(
    ("attributes", "says"),
    [({"scope": ["pk"]}, "different scopes"), ({"profile": "products"}, "different profiles")],
)
def test_e007_unlike_partners(attributes, says, alone):
    registered(Topic, compare_with=[Reply])
    registered(Reply, **attributes)
    messages = adapters.check_partners()
    assert (ids(messages), says in messages[0].msg) == (["E007"], True)


def test_e007_databases(alone):
    class Router:
        def db_for_write(self, model, **hints):
            return "other" if model is Reply else None

    registered(Topic, compare_with=[Reply])
    registered(Reply)
    with override_settings(DATABASE_ROUTERS=[Router()]):
        messages = adapters.check_partners()
    assert (ids(messages), "different databases" in messages[0].msg) == (["E007"], True)


def test_e007_a_chain_of_partners(alone):
    registered(Topic, compare_with=[Reply])
    registered(Reply, compare_with=[ScopedPost])
    registered(ScopedPost)
    messages = adapters.check_partners()
    assert set(ids(messages)) == {"E007"}
    assert "testapp.Reply, testapp.ScopedPost, testapp.Topic" in messages[0].hint
    neardup.unregister(Topic)
    registered(Topic, compare_with=[Reply, ScopedPost])
    assert adapters.check_partners() == []


@pytest.mark.parametrize("value", [["testapp.Reply"], Reply, None, [None]])
def test_e007_no_models(value, alone):
    registered(Topic, compare_with=value)
    registered(Reply)
    assert set(ids(adapters.check_partners())) == {"E007"}


@pytest.mark.parametrize(
    "attributes",
    [
        {"quotes": "remove"}, {"quotes": None}, {"ignored_differences": ["prise"]},
        {"ignored_differences": "price"}, {"ignored_differences": 5},
        {"ignored_differences": {"price", "date"}}, {"markup": "htlm"}, {"markup": ""},
    ],
)  # fmt: skip
def test_e012_choices(attributes, alone):
    registered(Ad, **attributes)
    assert ids(adapters.check_choices()) == ["E012"]


@pytest.mark.parametrize(
    "attributes",
    [
        {"quotes": "drop"}, {"ignored_differences": ()}, {"ignored_differences": ["price", "code"]},
        {"ignored_differences": None}, {"markup": "none"}, {"markup": None},
    ],
)  # fmt: skip
def test_e012_silent(attributes, alone):
    registered(Ad, **attributes)
    assert adapters.check_choices() == []


def test_e012_suggests_a_markup(alone):
    registered(Ad, markup="htlm")
    (message,) = adapters.check_choices()
    assert "Did you mean html?" in message.hint


def test_e013_no_file():
    with with_profile(SYNONYMS="/no/such/synonyms.txt"):
        messages = profiles.check_synonyms()
        assert ids(messages) == ["E013"]
        assert "No such file" in messages[0].msg


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("врач доктор\nдоктор лекарь".encode(), "line 2: 'доктор' is in the class of line 1 already"),
        ("# числа\nврач 17".encode(), "line 2: '17' is not one word"),
        ("врач доктор".encode("utf-16"), "codec can't decode"),
    ],
)
def test_e013_bad_file(content, says, tmp_path, alone):
    (tmp_path / "words").write_bytes(content)
    with with_profile(SYNONYMS=tmp_path / "words"):
        messages = profiles.check_synonyms()
        assert ids(messages) == ["E013"]
        assert says in messages[0].msg


def test_e013_in_the_language_of_an_adapter(tmp_path, alone):
    (tmp_path / "words").write_text("болеть хворать\nболею недомогать")
    with with_profile(SYNONYMS=str(tmp_path / "words"), LANGUAGE="en"):
        registered(Topic, language="en")
        assert profiles.check_synonyms() == []
        registered(Ad, language="ru")
        assert ids(profiles.check_synonyms()) == ["E013"]


def test_e013_silent(tmp_path):
    assert profiles.check_synonyms() == []
    (tmp_path / "words").write_text("")
    with with_profile(SYNONYMS=tmp_path / "words"):
        assert profiles.check_synonyms() == []


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("django_neardup.index.DatabseIndex", "(did you mean 'django_neardup.index.DatabaseIndex'?)"),
        (None, "NEARDUP['default']: INDEX is None"),
    ],
)
def test_e014_index(path, says):
    with with_profile(INDEX=path):
        messages = profiles.check_index()
    assert (ids(messages), says in messages[0].msg) == (["E014"], True)


def test_e014_silent():
    assert profiles.check_index() == []
    with with_profile(INDEX="tests.index.memory_index.MemoryIndex"):
        assert profiles.check_index() == []


def test_e014_unsupported_database(monkeypatch):
    monkeypatch.setattr(connection, "vendor", "oracle")
    monkeypatch.setattr(connection, "display_name", "Oracle")
    messages = profiles.check_index()
    assert ids(messages) == ["E014"]
    assert messages[0].msg.startswith("Database 'default': keys cannot be stored on Oracle: it is neither")
    with with_profile(INDEX="tests.index.memory_index.MemoryIndex"):
        assert profiles.check_index() == []


OPENSEARCH = "django_neardup.index.opensearch.OpenSearchIndex"


@pytest.mark.parametrize(
    ("values", "why", "hint"),
    [
        (
            {"CANDIDATES": "more_like_this"},
            "CANDIDATES 'more_like_this' is unknown.",
            "Did you mean more-like-this? ",
        ),
        ({"CANDIDATES": None}, "CANDIDATES None is unknown.", "It is one of keys, more-like-this, "),
        (
            {"CANDIDATES": "more-like-this"},
            "CANDIDATES 'more-like-this' cannot be used: DatabaseIndex searches no texts.",
            f"Set INDEX in NEARDUP['default'] to {OPENSEARCH}",
        ),
        (
            {"CANDIDATES": "more-like-this-tuned", "INDEX": OPENSEARCH, "LANGUAGE": "uk"},
            "CANDIDATES 'more-like-this-tuned' cannot be used: OpenSearch has no analyzer of the language 'uk'. It has",
            "Or leave CANDIDATES out",
        ),
    ],
)
def test_e023_candidates(values, why, hint):
    with with_profile(**values):
        (message,) = messages = profiles.check_candidates()
    assert ids(messages) == ["E023"] and why in message.msg and hint in message.hint


@pytest.mark.parametrize(
    "values",
    [
        {}, {"CANDIDATES": "keys"}, {"CANDIDATES": "keys", "LANGUAGE": "uk"},
        {"CANDIDATES": "more-like-this", "INDEX": OPENSEARCH},
        {"CANDIDATES": "more-like-this-tuned", "INDEX": OPENSEARCH, "LANGUAGE": "en-gb"},
        # E014 tells.
        {"CANDIDATES": "more-like-this", "INDEX": "no.such.Index"},
    ],
)  # fmt: skip
def test_e023_silent(values):
    with with_profile(**values):
        assert profiles.check_candidates() == []


@pytest.mark.parametrize("values", [{"CANDIDATES": "more-like-this"}, {"CANDIDATES": "keys"}])
def test_e023_is_about_every_profile(values, settings):
    """INDEX is a setting of the site: that of another profile counts for nothing."""
    settings.NEARDUP = {"default": {}, "articles": {**values, "INDEX": OPENSEARCH}}
    messages = profiles.check_candidates()
    assert [message.msg[:19] for message in messages] == ["NEARDUP['articles']"] * (
        values["CANDIDATES"] != "keys"
    )


@pytest.mark.parametrize(
    ("keeper", "wrong"),
    [
        ("first_seen", 0), ("longest", 0), ("tests.moderation.test_keeper.last_by_key", 0), ("oldest", 1), (None, 1),
        ("", 1), ("no.such.function", 1), ("tests.moderation.test_keeper.TABLE", 1),
    ],
)  # fmt: skip
def test_e015_keeper(keeper, wrong):
    with with_profile(KEEPER=keeper):
        assert ids(profiles.check_keeper()) == ["E015"] * wrong


@pytest.mark.parametrize(
    ("chosen", "wrong"),
    [
        ("30/m", 0), ("1/d", 0), (None, 0), ("django_neardup.api.throttling.Throttle", 0), ("30/min", 1), ("0/m", 1),
        ("m/30", 1), ("", 1), (30, 1), (True, 1), (["30/m"], 1), ("no.such.Throttle", 1), ("os.path.join", 1),
        ("tests.test_checks.Wrong", 1),
    ],
)  # fmt: skip
def test_e017_throttle(chosen, wrong):
    with with_profile(THROTTLE=chosen):
        assert ids(throttle.check_throttle()) == ["E017"] * wrong


class Wrong(Throttle):
    rate = "often"


RULE = {"action": "warn", "verdict": "duplicate"}


@pytest.mark.parametrize(
    ("table", "wrong"),
    [
        (None, 0), ([], 0), ([RULE], 0), ((RULE,), 0), ([{"action": "hold"}], 0),
        ([{**RULE, "verdict": ["related", "variant"], "own": True, "trust": "guest", "scope": [1, 2]}], 0),
        (RULE, 1), ("warn", 1), (["warn"], 1), ([{}], 1), ([{"action": "stop"}], 1), ([{**RULE, "verdict": "same"}], 1),
        ([{**RULE, "exact": "yes"}], 1), ([{**RULE, "author": 1}], 1), ([{"verdict": ["x", "y"], "why": 1}], 4),
    ],
)  # fmt: skip
def test_e016_rules_of_publication(alone, table, wrong):
    registered(Ad, publication=table)
    assert ids(publication.check_rules()) == ["E016"] * wrong
    with with_profile(PUBLICATION=table):
        assert ids(publication.check_rules()) == ["E016"] * wrong * 2


def everything(adapter):
    return adapter.model._default_manager.all()


def published(adapter):
    return adapter.model._default_manager.filter(published=True)


HIDES = {"hide": lambda self, ad: None, "show": lambda self, ad: None}


@pytest.mark.parametrize(
    ("attributes", "wrong"),
    [
        ({}, 0),
        ({"publication": [RULE]}, 0),
        ({"publication": [{"action": "hold"}]}, 2),
        ({"publication": [{"action": "hold"}], "live": published}, 1),
        ({"publication": [{"action": "hold"}], "live": published, **HIDES}, 0),
        ({"publication": [{"action": "hold"}], "hide": HIDES["hide"], "live": published}, 1),
        ({"hold_until_checked": True}, 2),
        ({"hold_until_checked": True, "live": published, **HIDES}, 1),
        ({"hold_until_checked": True, "live": published, "compared": everything, **HIDES}, 0),
    ],
)
def test_e018_posts_that_are_to_be_held(alone, attributes, wrong):
    registered(Ad, **attributes)
    assert ids(publication.check_hold_support()) == ["E018"] * wrong


def test_e018_by_the_setting(alone):
    registered(Ad)
    with with_profile(PUBLICATION=[{"action": "hold"}]):
        assert ids(publication.check_hold_support()) == ["E018"] * 2


@pytest.mark.parametrize(
    ("chosen", "wrong"),
    [
        ((), 0), (("canonical",), 0), (["sitemap", "redirects"], 0), (("sitemaps",), 1), ("canonical", 1), (None, 1),
        (True, 1), ((["canonical"],), 1),
    ],
)  # fmt: skip
def test_e019_seo(chosen, wrong):
    with with_profile(SEO=chosen):
        assert ids(seo.check_seo()) == ["E019"] * wrong


@pytest.mark.parametrize(
    ("without", "site", "chosen", "wrong"),
    [
        ((), 1, ("redirects",), 0),
        (("django.contrib.redirects",), 1, ("redirects",), 1),
        (("django.contrib.redirects", "django.contrib.sites"), 1, ("redirects",), 1),
        ((), None, ("redirects",), 1),
        (("django.contrib.redirects",), None, ("canonical", "sitemap"), 0),
    ],
)
def test_e020_redirects_without_their_app(settings, without, site, chosen, wrong):
    settings.INSTALLED_APPS = [app for app in settings.INSTALLED_APPS if app not in without]
    settings.SITE_ID = site
    with with_profile(SEO=chosen):
        assert ids(seo.check_redirects()) == ["E020"] * wrong


@pytest.mark.parametrize(
    ("attributes", "says"),
    [
        ({"heads": ["text"]}, "['text'] are not the first fields"),
        ({"heads": ["sku"]}, "['sku'] are not the first fields"),
        ({"heads": ["sku", "title"], "fields": ["title", "sku", "text"]}, "are not the first fields"),
        ({"heads": ("title", "text")}, "all fields are heads"),
        ({"heads": ["title"], "text": lambda self, ad: ad.text}, "text() is overridden"),
        ({"heads": ["title"], "head": lambda self, ad: ad.title}, "head() is overridden"),
    ],
)
def test_e021_heads(attributes, says, alone):
    registered(Ad, **{"fields": ["title", "text"], **attributes})
    messages = heads.check_heads()
    assert (ids(messages), messages[0].obj) == (["E021"], Ad)
    assert says in messages[0].msg


@pytest.mark.parametrize(
    "attributes",
    [
        {"heads": ["title"]}, {"heads": ("title", "sku"), "fields": ("title", "sku", "text")}, {"heads": ()},
        {"heads": "title"}, {"fields": "title", "heads": ["title"]},
        {"text": lambda self, ad: f"{ad.title}: {ad.text}", "head": lambda self, ad: ad.title},
    ],
)  # fmt: skip
def test_e021_silent(attributes, alone):
    registered(Ad, **{"fields": ["title", "text"], **attributes})
    assert heads.check_heads() == []


def test_i201_a_title_that_is_no_head(alone):
    registered(Ad, fields=["title", "text"])
    messages = heads.propose_heads()
    assert (ids(messages), messages[0].obj) == (["I201"], Ad)
    assert messages[0].level == django_checks.INFO
    assert 'heads = ["title"]' in messages[0].hint


@pytest.mark.parametrize(
    ("label", "is_proposed"),
    [
        ("blog.Entry", True), ("forum.Post", True), ("board.Article", True), ("shop.Comment", True),
        ("news.Item", True),
        ("board.Ad", False), ("shop.Product", False), ("jobs.Vacancy", False), ("market.Post", False),
    ],
)  # fmt: skip
def test_i202_looks_like_articles(label, is_proposed):
    app_label, name = label.split(".")
    model = SimpleNamespace(_meta=SimpleNamespace(app_label=app_label, object_name=name))
    assert site_kinds._looks_like_articles(model) == is_proposed


def test_i202_says_what_to_write(alone, settings):
    settings.NEARDUP = {"default": {}}
    registered(Comment, fields=["text"])
    messages = site_kinds.propose_articles()
    assert (ids(messages), messages[0].obj) == (["I202"], Comment)
    assert '"ALGORITHM": "neardup-articles"' in messages[0].hint


@pytest.mark.parametrize("algorithm", ["neardup-articles", "neardup"])
def test_i202_silent_where_the_site_has_chosen(algorithm, alone, settings):
    settings.NEARDUP = {"default": {"ALGORITHM": algorithm}}
    registered(Comment, fields=["text"])
    assert site_kinds.propose_articles() == []


@pytest.mark.parametrize(
    "attributes",
    [
        {"heads": ["title"]}, {"heads": []}, {"fields": ["text"]}, {"fields": ["title"]},
        {"fields": ["text", "title"]}, {"fields": ["sku", "text"]}, {"fields": ["title", "sku", "text"]},
        {"text": lambda self, ad: ad.text}, {"head": lambda self, ad: ad.title},
    ],
)  # fmt: skip
def test_i201_silent(attributes, alone):
    registered(Ad, **{"fields": ["title", "text"], **attributes})
    assert heads.propose_heads() == []


def test_w101_live_without_watch(alone):
    def live(self):
        return self.model.objects.all()

    registered(Ad, live=live)
    registered(Topic, live=live, watch=["text"])
    registered(Reply)
    messages = adapters.check_watch()
    assert (ids(messages), messages[0].obj) == (["W101"], Ad)


def names_of(messages):
    return [
        re.match(r'\w+ has "(\w+)"; did you mean "(\w+)"\?', message.msg).groups() for message in messages
    ]


@pytest.mark.parametrize(
    ("name", "hook"),
    [
        ("visable", "visible"), ("visibel", "visible"), ("Visible", "visible"), ("lvie", "live"), ("field", "fields"),
        ("feilds", "fields"), ("comapred", "compared"), ("minWords", "min_words"), ("MIN_WORDS", "min_words"),
        ("author_name", "author_names"), ("ignored_difference", "ignored_differences"), ("shwo", "show"),
        ("hold_until_check", "hold_until_checked"), ("compared_with", "compare_with"), ("merge", "merged"),
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "value",
    [["text"], lambda self, *args: None, property(lambda self: 1)],
    ids=["list", "method", "property"],
)
def test_w114_misspelt_hooks(name, hook, value, alone):
    neardup.register(Ad)(type("TestAdapter", (neardup.Adapter,), {name: value}))
    messages = hook_names.check_hook_names()
    assert (ids(messages), messages[0].obj) == (["W114"], Ad)
    assert messages[0].msg.startswith(f'TestAdapter has "{name}"; did you mean "{hook}"?')


@pytest.mark.parametrize(
    "name",
    [
        "_visable", "__visable", "author_id", "text_of", "hidden", "publish", "is_visible", "get_text", "titles",
        "read", "line", "next", "helper", "clean", "live_posts", "model", "objects", "queryset", "visible", "source",
        "settings", "models", "moderate",
    ],
)  # fmt: skip
def test_w114_silent(name, alone):
    neardup.register(Ad)(type("TestAdapter", (neardup.Adapter,), {name: lambda self, *args: None}))
    assert hook_names.check_hook_names() == []


def test_w114_a_class_with_the_hook_itself_uses_the_other_name_on_purpose(alone):
    registered(Ad, texts=["title", "text"], text=lambda self, ad: "")
    assert hook_names.check_hook_names() == []


class VisibleToMembers:
    def visable(self, request):
        return self.model.objects.none()


class BoardAdapter(VisibleToMembers, neardup.Adapter):
    fields = ["text"]

    def live(self):
        return self.model.objects.all()


class TopicAdapter(BoardAdapter):
    def lives(self):
        return self.model.objects.all()


def test_w114_names_the_class_that_has_the_name_once(alone):
    neardup.register("testapp.Topic")(TopicAdapter)
    neardup.register(Reply)(type("ReplyAdapter", (BoardAdapter,), {}))
    messages = hook_names.check_hook_names()
    assert sorted(message.msg.split()[0] for message in messages) == ["TopicAdapter", "VisibleToMembers"]
    assert sorted(names_of(messages)) == [("lives", "live"), ("visable", "visible")]
    assert all(f"(in {__name__})" in message.hint for message in messages)


def test_w114_adapters_of_parent_and_child(alone):
    registered(Article, visable=lambda self, request: None)
    registered(LongArticle, hdie=lambda self, post: None)
    messages = hook_names.check_hook_names()
    assert [(message.obj, *pair) for message, pair in zip(messages, names_of(messages))] == [
        (Article, "visable", "visible"), (LongArticle, "hdie", "hide")
    ]  # fmt: skip


# The site -------------------------------------------------------------------------------------------------


def test_w102_nothing_registered(alone):
    assert ids(site.check_registered()) == ["W102"]
    registered(Ad)
    assert site.check_registered() == []


@pytest.mark.parametrize(("urls", "expected"), [("no_urls", ["W103"]), ("urls", [])])
def test_w103_urls(urls, expected):
    with override_settings(ROOT_URLCONF=f"tests.grouped_lists.{urls}"):
        assert ids(site.check_urls()) == expected


def test_w103_is_silent_where_nothing_is_registered_or_there_are_no_urls(alone):
    with override_settings(ROOT_URLCONF="tests.grouped_lists.no_urls"):
        assert site.check_urls() == []
        registered(Ad)
        with override_settings(ROOT_URLCONF=None):
            assert site.check_urls() == []


# Databases ------------------------------------------------------------------------------------------------


@pytest.fixture
def hidden_tables(monkeypatch):
    """The database answers as one that was never migrated."""
    monkeypatch.setattr(connection.introspection, "table_names", lambda *args, **kwargs: ["testapp_ad"])


@pytest.mark.django_db
def test_w104_tables(hidden_tables):
    messages = database.check_tables(databases=["default"])
    assert ids(messages) == ["W104"]
    assert "migrate" in messages[0].hint


@pytest.mark.django_db
def test_w104_migrations_of_an_update():
    MigrationRecorder(connection).record_unapplied("neardup", "0001_initial")
    assert database.check_tables(databases=["default"]) == []  # made without migrations
    MigrationRecorder(connection).record_applied("neardup", "0000_older")
    messages = database.check_tables(databases=["default"])
    assert (ids(messages), "0001_initial" in messages[0].msg) == (["W104"], True)


@pytest.mark.django_db(transaction=True)
def test_w104_tables_of_an_earlier_form_of_the_first_migration():
    with connection.cursor() as cursor:
        cursor.execute(f"DROP TABLE {KeyPhrase._meta.db_table}")
    try:
        messages = database.check_tables(databases=["default"])
        assert ids(messages) == ["W104"] and "neardup_keyphrase" in messages[0].msg
        assert "migrate neardup zero --database default" in messages[0].hint
        call_command("migrate", "neardup", "zero", verbosity=0)
        assert not [name for name in connection.introspection.table_names() if name.startswith("neardup_")]
        assert database.check_tables(databases=["default"])[0].hint.endswith("migrate --database default.")
    finally:
        call_command("migrate", verbosity=0)
        assert has_current_tables("default")
    assert database.check_tables(databases=["default"]) == []


@pytest.mark.django_db
def test_w104_silent():
    assert database.check_tables(databases=["default"]) == []


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("runserver", ["W104"]),
        ("neardup_worker", ["W104"]),
        ("neardup_index", ["W104"]),
        ("check", []),
        ("shell", []),
    ],
)
def test_w104_without_databases_at_the_start_of_some_commands(name, expected, hidden_tables, command):
    command(name)
    assert ids(database.check_tables()) == expected


@pytest.mark.django_db
def test_w104_is_not_said_to_who_migrates(hidden_tables, command):
    command("migrate")
    assert database.check_tables(databases=["default"]) == []


def test_no_query_without_databases(command):
    command("check")
    assert [message for check in DATABASE_CHECKS for message in check()] == []


@pytest.mark.django_db
def test_database_checks_are_silent_where_tables_are_missing(hidden_tables):
    found = [message for check in DATABASE_CHECKS for message in check(databases=["default"])]
    assert [name for name in ids(found) if name != "W107"] == ["W104"]


def waiting(age, **values):
    post = Ad.objects.create(text="a")
    row = rows.document(post)
    Document.objects.filter(pk=row.pk).update(pending_since=DatabaseClock() - int(age * 1000), **values)
    return row


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("backend", "hint"),
    [("rq", "rqworker default"), ("tasks", "TASKS"), ("inline", "--once"), (None, "neardup_worker,")],
)
def test_w105_late(backend, hint):
    Document.objects.all().delete()
    waiting(700)
    with with_profile(BACKEND=backend):
        messages = database.check_pending_work(databases=["default"])
    assert ids(messages) == ["W105"]
    assert "1 posts" in messages[0].msg
    assert hint in messages[0].hint


@pytest.mark.django_db
def test_w105_counts_saves_that_no_worker_has_marked():
    Document.objects.all().delete()
    row = waiting(0, save_begun=DatabaseClock() - 700_000)
    Document.objects.filter(pk=row.pk).update(pending_since=None)
    assert ids(database.check_pending_work(databases=["default"])) == ["W105"]
    Document.objects.filter(pk=row.pk).update(save_begun=DatabaseClock() - 100_000)
    assert database.check_pending_work(databases=["default"]) == []


@pytest.mark.django_db
def test_w105_silent():
    Document.objects.all().delete()
    assert database.check_pending_work(databases=["default"]) == []
    waiting(500)
    assert database.check_pending_work(databases=["default"]) == []
    waiting(700)
    with with_profile(LATE_SECONDS=1000):
        assert database.check_pending_work(databases=["default"]) == []
    row = waiting(650, leased_until=DatabaseClock() + 60_000)
    assert database.check_pending_work(databases=["default"]) == []
    # The clock was set back: this lease proves nothing.
    Document.objects.filter(pk=row.pk).update(leased_until=DatabaseClock() + 10**9)
    assert ids(database.check_pending_work(databases=["default"])) == ["W105"]


@pytest.mark.django_db
@pytest.mark.engine_alike
def test_w105_leaves_posts_that_wait_for_statistics_to_w108():
    Document.objects.all().delete()
    scheme = rows.scheme(state="retired")
    group = Cluster.objects.create(space=rows.space(), scheme=scheme, leader=waiting(700))
    Cluster.objects.filter(pk=group.pk).update(pending_since=DatabaseClock() - 700_000)
    assert "2 posts or groups" in database.check_pending_work(databases=["default"])[0].msg
    with with_profile(ALGORITHM="tf-idf"):
        assert database.check_pending_work(databases=["default"]) == []
        assert ids(database.check_statistics(databases=["default"])) == ["W108"]


@pytest.mark.django_db
def test_w105_groups_wait_too(command):
    Document.objects.all().delete()
    group = rows.cluster(Ad.objects.create(text="a"), Ad.objects.create(text="a"))
    Document.objects.update(pending_since=None)
    Cluster.objects.filter(pk=group.pk).update(pending_since=DatabaseClock() - 700_000)
    command("runserver")
    assert ids(database.check_pending_work()) == ["W105"]
    command("neardup_worker")
    assert database.check_pending_work() == []


@pytest.mark.django_db
def test_w106_schemes():
    assert database.check_schemes(databases=["default"]) == []
    active_scheme(get_profile(), "default")
    assert database.check_schemes(databases=["default"]) == []
    with with_profile(LANGUAGE="en"):
        messages = database.check_schemes(databases=["default"])
        assert (ids(messages), "language" in messages[0].msg) == (["W106"], True)
    with with_profile(SECRET="another"):
        messages = database.check_schemes(databases=["default"])
        assert (ids(messages), "secret" in messages[0].msg) == (["W106"], True)


@pytest.mark.django_db
def test_w106_secret_of_the_settings():
    with with_profile(SECRET="chosen"):
        active_scheme(get_profile(), "default")
        assert database.check_schemes(databases=["default"]) == []


@pytest.mark.django_db
@pytest.mark.parametrize("secret", ["another", None])
def test_w118_secret_of_the_settings(secret):
    with with_profile(SECRET="chosen"):
        active_scheme(get_profile(), "default")
    with with_profile(SECRET=secret):
        (message,) = messages = database.check_schemes(databases=["default"])
    assert ids(messages) == ["W118"]
    assert "--rebuild" in message.msg and "chosen" not in message.msg + message.hint


@pytest.mark.django_db
def test_w106_leaves_wrong_settings_to_other_checks():
    active_scheme(get_profile(), "default")
    for values in ({"ALGORITHM": "no"}, {"UNKNOWN": 1}, {"OPTIONS": {"no": 1}}, {"SYNONYMS": "/no"}):
        with with_profile(**values):
            assert database.check_schemes(databases=["default"]) == []


@pytest.mark.engines("sqlite")
@pytest.mark.parametrize(
    ("mode", "expected"), [(None, ["W107"]), ("DEFERRED", ["W107"]), ("IMMEDIATE", []), ("immediate", [])]
)
def test_w107_transactions(mode, expected, monkeypatch):
    options = {**connection.settings_dict["OPTIONS"], "transaction_mode": mode}
    monkeypatch.setitem(connection.settings_dict, "OPTIONS", options)
    assert ids(database.check_transactions(databases=["default"])) == expected


@pytest.mark.engines("postgresql", "mariadb")
def test_w107_other_databases():
    assert database.check_transactions(databases=["default"]) == []


@pytest.mark.django_db
def test_w108_statistics():
    assert database.check_statistics(databases=["default"]) == []
    with with_profile(ALGORITHM="tf-idf"):
        messages = database.check_statistics(databases=["default"])
        assert (ids(messages), "neardup_index" in messages[0].hint) == (["W108"], True)
        assert database.check_schemes(databases=["default"]) == []
        Ad.objects.create(text="Продаю угловой диван в хорошем состоянии, самовывоз")
        gather_statistics(get_profile(), "default")
        assert database.check_statistics(databases=["default"]) == []


@pytest.mark.django_db
@pytest.mark.parametrize(
    "values", [{"ALGORITHM": "no"}, {"UNKNOWN": 1}, {"OPTIONS": {"no": 1}}, {"SYNONYMS": "/no"}]
)
def test_w108_leaves_wrong_settings_to_other_checks(values):
    with with_profile(**values):
        assert database.check_statistics(databases=["default"]) == []


def test_databases_that_hold_nothing_of_ours_are_not_asked():
    assert database.used_databases() == {"default"}
    assert database.check_transactions(databases=["other"]) == []


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("middleware", "said"),
    [
        ([], ["W110"]),
        (["django.middleware.common.CommonMiddleware", "no.such.Middleware"], ["W110"]),
        (["django_neardup.middleware.MovedUrlMiddleware"], []),
        (["tests.test_checks.OwnMovedUrls"], []),
    ],
)
def test_w110_old_addresses_that_nobody_answers_for(middleware, said):
    with override_settings(MIDDLEWARE=middleware):
        assert moved.check_moved_urls(databases=["default"]) == []
        MovedUrl.objects.create(digest="1" * 32, path="/old/")
        assert ids(moved.check_moved_urls(databases=["default"])) == said


class OwnMovedUrls(MovedUrlMiddleware):
    """A site's own, made of ours."""


class RevisionMiddleware:
    """As that of django-reversion."""

    atomic = True


RevisionMiddleware.__module__ = "reversion.middleware"


class NonAtomic(RevisionMiddleware):
    atomic = False


@pytest.mark.parametrize(
    ("middleware", "said"),
    [
        (["django.middleware.common.CommonMiddleware", "no.such.Middleware"], []),
        (["tests.test_checks.RevisionMiddleware"], ["W112"]),
        (["tests.test_checks.NonAtomic"], []),
    ],
)
def test_w112_a_middleware_that_opens_a_transaction(middleware, said):
    with override_settings(MIDDLEWARE=middleware):
        assert ids(throttle.check_middleware()) == said


@pytest.mark.django_db
def test_w116_quarantine(settings):
    assert unfinished_work.check_quarantine(databases=["default"]) == []
    for ad in Ad.objects.bulk_create([Ad(text="a"), Ad(text="b")]):
        row = rows.document(ad)
        Document.objects.filter(pk=row.pk).update(state=Document.State.QUARANTINED, reason="ValueError")
    (message,) = messages = unfinished_work.check_quarantine(databases=["default"])
    assert ids(messages) == ["W116"]
    assert "2 posts" in message.msg
    assert "/admin/neardup/document/?work=quarantined" in message.hint
    settings.ROOT_URLCONF = "django_neardup.urls"
    assert "list of documents in the admin" in unfinished_work.check_quarantine(databases=["default"])[0].hint


def run_hint(message):
    """Run the command that a hint names."""
    command = re.search(r"python manage\.py (.*?): it continues", message.hint).group(1)
    call_command(*command.split(), verbosity=0, no_progress=True)


@pytest.mark.django_db(transaction=True)
def test_w117_an_index_run_that_was_interrupted():
    Ad.objects.bulk_create(Ad(text=f"{SOFA} {number}") for number in range(3))
    index_pass = begin_pass(adapter_for(Ad), "default")
    assert ids(unfinished_work.check_unfinished_runs(databases=["default"])) == ["W117"]
    ranges.claim_range(index_pass, 3)
    assert unfinished_work.check_unfinished_runs(databases=["default"]) == []
    IndexRange.objects.update(leased_until=1)
    (message,) = messages = unfinished_work.check_unfinished_runs(databases=["default"])
    assert ids(messages) == ["W117"]
    assert "testapp.Ad" in message.msg and "--rebuild" not in message.msg + message.hint
    run_hint(message)
    assert unfinished_work.check_unfinished_runs(databases=["default"]) == []
    assert Document.objects.filter(state=Document.State.INDEXED).count() == 3


@pytest.mark.django_db(transaction=True)
def test_w117_a_rebuild_that_was_interrupted():
    Ad.objects.bulk_create(Ad(text=f"{SOFA} {number}") for number in range(3))
    call_command("neardup_index", verbosity=0, no_progress=True)
    # Killed before it has begun with the first model.
    scheme = begin_generation(get_profile(), "default")
    (message,) = messages = unfinished_work.check_unfinished_runs(databases=["default"])
    assert ids(messages) == ["W117"]
    assert "--rebuild" in message.msg and "testapp.Ad" in message.msg
    run_hint(message)
    assert unfinished_work.check_unfinished_runs(databases=["default"]) == []
    assert Scheme.objects.get(state=Scheme.State.ACTIVE) == scheme
    assert Fingerprint.objects.filter(scheme=scheme).count() == 3
    # A later run that is interrupted is no rebuild.
    begin_pass(adapter_for(Ad), "default")
    assert "--rebuild" not in unfinished_work.check_unfinished_runs(databases=["default"])[0].msg


@pytest.mark.django_db(transaction=True)
def test_w117_names_the_models_that_a_run_has_not_reached(monkeypatch):
    Ad.objects.create(text=SOFA)
    Article.objects.create(text=SOFA)

    def interrupt(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr("django_neardup.management.index_run.process_ranges", interrupt)
    with pytest.raises(CommandError, match="stopped at"):
        call_command("neardup_index", "testapp.Ad", "testapp.Article", verbosity=0, no_progress=True)
    monkeypatch.undo()
    (message,) = unfinished_work.check_unfinished_runs(databases=["default"])
    assert "neardup_index testapp.Ad testapp.Article --database default" in message.hint
    run_hint(message)
    assert unfinished_work.check_unfinished_runs(databases=["default"]) == []


UNREACHABLE = {
    "BACKEND": "django_neardup.index.opensearch.OpenSearchIndex", "HOSTS": ["http://127.0.0.1:9"], "RETRIES": 0,
}  # fmt: skip


@pytest.mark.django_db(transaction=True)
def test_w119_changed_keys_that_wait_for_the_key_index():
    with with_profile(INDEX=UNREACHABLE):
        Ad.objects.create(text=SOFA)
        drain("default")
        assert unfinished_work.check_key_index(databases=["default"]) == []
        KeyChange.objects.update(since=DatabaseClock() - 700_000)
        (message,) = messages = unfinished_work.check_key_index(databases=["default"])
        assert ids(messages) == ["W119"]
        assert "1 changed keys have waited up to 70" in message.msg


@pytest.mark.django_db
def test_w120_a_key_index_that_does_not_answer_or_must_not_be_used():
    with with_profile(INDEX=UNREACHABLE):
        state = KeyIndexState.objects.create(name="neardup-default", in_use="neardup-default-1")
        (message,) = messages = unfinished_work.check_key_index(databases=["default"])
        assert ids(messages) == ["W120"]
        assert "OpenSearch (127.0.0.1:9): no connection." in message.msg
        KeyIndexState.objects.filter(pk=state.pk).update(problem="The key index must be rebuilt.")
        (message,) = messages = unfinished_work.check_key_index(databases=["default"])
        assert ids(messages) == ["W120"] and "must be rebuilt" in message.msg


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"HOST": ["http://search:9200"]}, "'HOST' is not an option. Did you mean HOSTS?"),
        ({"HOSTS": "http://search:9200"}, "HOSTS is 'http://search:9200'. Write a list of addresses"),
        ({"HOSTS": ["http://user:secret@search:9200"]}, "Write a list of addresses"),
        ({"TIMEOUT": 0}, "TIMEOUT is 0. Write a number, 0.1 or more."),
        ({"NAME": "Board"}, "NAME is 'Board'. Write small letters"),
    ],
)
def test_e014_an_option_of_the_key_index_that_cannot_be_used(options, why):
    path = "django_neardup.index.opensearch.OpenSearchIndex"
    with with_profile(INDEX={"BACKEND": path, **options}):
        (message,) = messages = profiles.check_index()
        assert ids(messages) == ["E014"] and why in message.msg
    with with_profile(INDEX={"BACKEND": "tests.index.memory_index.MemoryIndex", **options}):
        (message,) = profiles.check_index()
        assert "has no options" in message.msg


@pytest.mark.django_db
def test_w111_pairs_of_another_judge():
    stored = builders.pair(Ad.objects.create(text="one"), Ad.objects.create(text="two"), evidence={})
    assert database.check_judge(databases=["default"]) == []
    Pair.objects.filter(pk=stored.pk).update(judge_version=JUDGE_VERSION - 1)
    messages = database.check_judge(databases=["default"])
    assert (ids(messages), "neardup_index --rejudge" in messages[0].hint) == (["W111"], True)
    Scheme.objects.update(state=Scheme.State.RETIRED)
    assert database.check_judge(databases=["default"]) == []


# All of them ----------------------------------------------------------------------------------------------


def test_django_knows_every_check():
    known = django_checks.registry.registry.get_checks()
    assert {*SETTINGS_CHECKS, *DATABASE_CHECKS} <= set(known)
    assert all(CHECK_TAG in check.tags for check in (*SETTINGS_CHECKS, *DATABASE_CHECKS))
    assert all(django_checks.Tags.database in check.tags for check in DATABASE_CHECKS)


@pytest.mark.django_db
def test_the_command(capsys):
    with override_settings(ROOT_URLCONF="tests.grouped_lists.no_urls"):
        call_command("check", tags=[CHECK_TAG], databases=["default"])
    assert "neardup.W103" in capsys.readouterr().err


def test_e022_what_an_adapter_says_of_a_merge(alone):
    registered(
        Ad,
        relations={"testapp.nothing": "stay", "testapp.comment": "keep", "guardian.*": "stay"},
        sum_fields=["hits", "title"],
        fixed_fields=["nothing"],
        accepts_loss=["testapp.nothing"],
    )
    registered(Topic, relations=["testapp.comment"])
    messages = relations.check_relations()
    assert ids(messages) == ["E022"] * 6
    assert [message.obj for message in messages] == [Ad] * 5 + [Topic]


def test_e022_silent(alone):
    registered(
        Ad,
        relations={"testapp.Comment.ad": "move", "*.historical*": "stay"},
        sum_fields=["hits"],
        fixed_fields=["sku"],
    )
    assert relations.check_relations() == []


def test_every_id_is_in_the_table_and_tested():
    source = Path(neardup.__file__).parent / "checks"
    used = {
        name
        for path in source.glob("*.py")
        for name in re.findall(r'check_message\(\s*"([EWI]\d+)"', path.read_text())
    }
    assert used == set(CHECK_DESCRIPTIONS)
    tested = set(re.findall(r"def test_([ewi]\d+)", Path(__file__).read_text()))
    assert tested == {name.lower() for name in CHECK_DESCRIPTIONS}


def test_the_document_has_the_same_table():
    listed = re.findall(r"^\| `neardup\.([EWI]\d+)` \| (.+?) \|", DOCUMENT.read_text(), re.MULTILINE)
    assert [name for name, _ in listed] == list(CHECK_DESCRIPTIONS)
    for name, meaning in listed:
        assert meaning.replace("`", "").replace('"', "") == CHECK_DESCRIPTIONS[name].replace('"', "")


def test_no_id_outside_the_table():
    with pytest.raises(KeyError):
        check_message("E999", "", "")
