"""Registration: every mistake is named in a sentence that says what to write."""

from __future__ import annotations

import os

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import AbstractUser, User
from django.core.exceptions import ImproperlyConfigured
from django.db import models
from django.test.utils import isolate_apps

import django_neardup as neardup
from django_neardup import registry
from django_neardup.exceptions import AlreadyRegistered, NeardupError, NotRegistered
from tests import services
from tests.processes import run
from tests.testapp.models import Ad, Article, ArticleProxy, LongArticle, Topic, Unregistered


@pytest.fixture(autouse=True)
def empty_registry(monkeypatch):
    monkeypatch.setattr(registry, "_registry", {})


class Plain(neardup.Adapter):
    fields = ["text"]


class Derived(Plain):
    """A subclass of a subclass."""


def sentence(call, *args, error=ImproperlyConfigured):
    with pytest.raises(error) as raised:
        call(*args)
    return str(raised.value)


@pytest.mark.parametrize("model", [Unregistered, "testapp.Unregistered", "testapp.unregistered"])
@pytest.mark.parametrize("adapter", [Plain, Derived])
def test_a_class_or_a_label_in_any_case_is_registered(model, adapter):
    assert neardup.register(model)(adapter) is adapter
    assert type(registry.adapter_for(Unregistered)) is adapter


def test_one_class_may_be_registered_for_several_models():
    neardup.register(Ad)(neardup.register(Topic)(Plain))
    assert {Ad, Topic} == set(registry.registered_adapters())


class TestWithoutModel:
    @pytest.mark.parametrize("adapter", [Plain, Derived, neardup.Adapter])
    def test_the_decorator_alone_is_refused(self, adapter):
        said = sentence(neardup.register, adapter)
        assert "has no model. Write @neardup.register(Ad)" in said
        assert adapter.__name__ in said

    def test_empty_brackets_are_refused(self):
        assert "model" in sentence(neardup.register, error=TypeError)

    @pytest.mark.parametrize("value", [None, 3, object, dict, Ad(), models.Model, lambda: None])
    def test_what_is_no_model_is_refused(self, value):
        assert "Write @neardup.register(Ad)" in sentence(neardup.register, value)
        assert registry.registered_adapters() == {}


class TestLabels:
    @pytest.mark.parametrize(
        ("label", "meant"),
        [
            ("testapp.Unregisterd", "testapp.Unregistered"), ("Testapp.Unregistered", "testapp.Unregistered"),
            ("Unregistered", "testapp.Unregistered"), ("tests.testapp.models.Unregistered", "testapp.Unregistered"),
            ("testap.unregistered", "testapp.Unregistered"),
        ],
    )  # fmt: skip
    def test_the_model_that_was_meant_is_named(self, label, meant):
        said = sentence(neardup.register, label)
        assert f'neardup.register("{label}"): there is no such model.' in said
        assert f'Did you mean "{meant}"?' in said

    def test_nothing_is_suggested_that_is_unlike(self):
        assert "Did you mean" not in sentence(neardup.register, "qqq.Qqqqqqqqqqq")


class TestModelsWithoutATable:
    @isolate_apps("tests.testapp")
    def test_an_abstract_model(self):
        class Post(models.Model):
            class Meta:
                app_label = "testapp"
                abstract = True

        assert "testapp.Post cannot be registered: it is abstract" in sentence(neardup.register, Post)

    def test_the_children_of_an_abstract_model_are_named(self):
        said = sentence(neardup.register, AbstractUser)
        assert said.endswith("Register the models that inherit from it, @neardup.register(User).")

    def test_a_child_of_an_abstract_model_is_registered(self):
        neardup.register(User)(Plain)
        assert registry.adapter_for(User).model is get_user_model()

    @pytest.mark.parametrize("model", [ArticleProxy, "testapp.ArticleProxy", "testapp.articleproxy"])
    def test_a_proxy(self, model):
        said = sentence(neardup.register, model)
        assert "testapp.ArticleProxy cannot be registered: it is a proxy of testapp.Article." in said

    def test_a_proxy_has_the_adapter_of_its_model(self):
        neardup.register(Article)(Plain)
        assert registry.adapter_for(ArticleProxy) is registry.adapter_for(Article)

    @isolate_apps("tests.testapp")
    def test_a_proxy_of_a_child(self):
        class Essay(LongArticle):
            class Meta:
                app_label = "testapp"
                proxy = True

        assert "a proxy of testapp.LongArticle" in sentence(neardup.register, Essay)

    @isolate_apps("tests.testapp")
    def test_a_swapped_model(self, settings):
        settings.TESTAPP_POST_MODEL = "testapp.Ad"

        class Post(models.Model):
            class Meta:
                app_label = "testapp"
                swappable = "TESTAPP_POST_MODEL"

        assert "the setting TESTAPP_POST_MODEL replaces it by testapp.Ad" in sentence(neardup.register, Post)


class PlainClass:
    fields = ["text"]


def function(self):
    """No class at all."""


class TestNoAdapter:
    @pytest.mark.parametrize("value", [PlainClass, function, "Plain", None, Ad, Plain(Ad)])
    def test_it_is_refused(self, value):
        said = sentence(neardup.register(Ad), value)
        assert "is registered for testapp.Ad, but is not an adapter" in said
        assert "inherits from neardup.Adapter" in said
        assert registry.registered_adapters() == {}

    def test_the_class_is_named_with_its_line(self):
        said = sentence(neardup.register("testapp.Ad"), PlainClass)
        assert f"{__name__}.PlainClass ({__file__}:" in said


class TestTwice:
    @pytest.mark.parametrize("again", [Ad, "testapp.Ad", "testapp.ad"])
    def test_both_classes_are_named_with_their_lines(self, again):
        neardup.register(Ad)(Plain)
        said = sentence(neardup.register(again), Derived, error=AlreadyRegistered)
        assert said.startswith(f"testapp.Ad already has the adapter {__name__}.Plain ({__file__}:")
        assert f"{__name__}.Derived ({__file__}:" in said
        assert "neardup.unregister(Ad)" in said
        assert type(registry.adapter_for(Ad)) is Plain

    def test_the_same_class_twice(self):
        neardup.register(Ad)(Plain)
        assert sentence(neardup.register(Ad), Plain, error=AlreadyRegistered).count(f"{__name__}.Plain") == 2

    def test_a_class_without_source(self):
        neardup.register(Ad)(type("Made", (Plain,), {}))
        said = sentence(neardup.register(Ad), Derived, error=AlreadyRegistered)
        assert f"already has the adapter {__name__}.Made. " in said

    def test_it_is_an_error_of_the_configuration(self):
        assert issubclass(AlreadyRegistered, (NeardupError, ImproperlyConfigured))
        assert issubclass(AlreadyRegistered, ImproperlyConfigured) and issubclass(
            AlreadyRegistered, ValueError
        )

    def test_an_adapter_may_be_replaced(self):
        neardup.register(Ad)(Plain)
        neardup.unregister(Ad)
        neardup.register(Ad)(Derived)
        assert type(registry.adapter_for(Ad)) is Derived

    def test_parent_and_child_have_an_adapter_each(self):
        neardup.register(Article)(Plain)
        neardup.register(LongArticle)(Derived)
        assert [type(adapter) for adapter in registry.adapters_of(LongArticle)] == [Derived, Plain]
        assert [type(adapter) for adapter in registry.adapters_of(Article)] == [Plain]


STARTED = """
from django.conf import settings
settings.configure(INSTALLED_APPS=["django.contrib.contenttypes", "django.contrib.auth", "django_neardup", "board"])
import django
try:
    django.setup()
except Exception as error:
    assert type(error).__name__ == "ImproperlyConfigured", repr(error)
    assert "has no model. Write @neardup.register(Ad)" in str(error), error
else:
    raise AssertionError("the site has started")
"""


def test_a_site_with_a_mistake_does_not_start(tmp_path):
    (tmp_path / "board").mkdir()
    (tmp_path / "board" / "__init__.py").touch()
    (tmp_path / "board" / "neardup.py").write_text(
        "import django_neardup as neardup\n\n@neardup.register\nclass A(neardup.Adapter):\n    fields = []\n"
    )
    run(STARTED, PYTHONPATH=f"{services.ROOT}{os.pathsep}{tmp_path}")


def test_what_is_not_registered_is_not_removed():
    assert "testapp.Unregistered has no adapter" in sentence(
        neardup.unregister, Unregistered, error=NotRegistered
    )
