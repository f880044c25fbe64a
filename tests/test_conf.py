"""The table of settings, and the values that profiles and the site get from it."""

from __future__ import annotations

from dataclasses import fields

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import override_settings

from django_neardup.conf import (
    DEFAULTS,
    PROFILE,
    SETTINGS,
    SITE,
    Profile,
    SiteSettings,
    get_aliases,
    get_profile,
    get_site_settings,
)


def test_every_row_has_an_attribute_a_documentation_and_a_valid_default():
    owners = {PROFILE: Profile, SITE: SiteSettings}
    for setting in SETTINGS.values():
        assert setting.name.lower() in {field.name for field in fields(owners[setting.scope])}
        assert setting.documentation and setting.value_type.description
        assert setting.value_type.accepts(setting.default)


@override_settings(NEARDUP={})
def test_without_values_the_defaults_apply():
    values = {**vars(get_profile()), **vars(get_site_settings())}
    assert values.pop("alias") == "default"
    assert {name.upper(): value for name, value in values.items()} == DEFAULTS


@override_settings(
    NEARDUP={"default": {"BUCKET": 8, "QUEUE": "low"}, "articles": {"MIN_WORDS": 9, "QUEUE": "no"}}
)
def test_profiles_do_not_inherit_and_the_site_reads_the_default_one():
    assert get_aliases() == ["articles", "default"]
    assert (get_profile().bucket, get_profile("articles").bucket) == (8, 64)
    assert (get_profile().min_words, get_profile("articles").min_words) == (4, 9)
    assert get_site_settings().queue == "low"
    assert not hasattr(get_profile(), "queue") and not hasattr(get_site_settings(), "bucket")


@pytest.mark.parametrize("read", [get_profile, get_site_settings])
def test_unknown_keys_are_refused(read):
    with (
        override_settings(NEARDUP={"default": {"BAKEND": "rq"}}),
        pytest.raises(ImproperlyConfigured, match="BAKEND"),
    ):
        read()
    with override_settings(NEARDUP={"default": {"BACKEND": "rq"}}):
        read()


@override_settings(NEARDUP={"articles": {}})
def test_an_unknown_profile_is_refused():
    with pytest.raises(
        ImproperlyConfigured, match=r"no profile 'artcles': add it, or use one of \['articles'\]"
    ):
        get_profile("artcles")
