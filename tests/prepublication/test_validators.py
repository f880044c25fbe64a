"""The validator of a single field."""

from __future__ import annotations

import pytest
from django import forms
from django.core.exceptions import ValidationError

from django_neardup.prepublication import check
from django_neardup.validators import NotNearDuplicate
from tests.pipeline.helpers import CAT, SOFA, SOFA_EDITED
from tests.testapp.models import Ad

pytestmark = pytest.mark.django_db
ANY = ("warn", "hold", "block")


def fault(validator, text):
    """The code of the error, or None."""
    try:
        validator(text)
    except ValidationError as error:
        return error.code
    return None


@pytest.mark.parametrize(
    ("actions", "rules", "text", "wrong"),
    [
        (("block",), [{"action": "block"}], SOFA, True),
        (("block",), [{"action": "block"}], SOFA_EDITED, False),
        (("block",), [{"action": "hold"}], SOFA_EDITED, False),
        (("block",), None, SOFA, False),
        (ANY, None, SOFA_EDITED, True),
        (ANY, None, CAT, False),
        (ANY, None, "", False),
        (ANY, [{"action": "warn", "exact": True}], SOFA_EDITED, False),
    ],
)
def test_the_rules_decide(actions, rules, text, wrong, adapt, people, publish):
    adapt(publication=rules)
    publish(SOFA, people.bob)
    for model in (Ad, "testapp.Ad"):
        assert fault(NotNearDuplicate(model, actions), text) == ("near_duplicate" if wrong else None)


def test_it_says_which_post(board, people, publish):
    ad = publish(SOFA, people.bob, title="Диван")
    with pytest.raises(ValidationError, match="This is already on the site: Диван") as error:
        NotNearDuplicate(Ad, ANY)(SOFA)
    assert error.value.params == {"title": "Диван", "url": f"/ads/{ad.pk}/", "value": SOFA}


def test_hidden_posts_are_not_told_of(board, people, publish):
    publish(SOFA, people.bob, published=False)
    assert fault(NotNearDuplicate(Ad, ANY), SOFA) is None
    assert fault(NotNearDuplicate(Ad, ANY, visible=Ad.objects.all()), SOFA) == "near_duplicate"


def test_ones_own_posts(board, people, publish):
    publish(SOFA, people.ann)
    assert fault(NotNearDuplicate(Ad), SOFA) is None
    assert fault(NotNearDuplicate(Ad, author=people.ann.pk), SOFA) == "near_duplicate"


def test_in_a_form(board, people, publish):
    publish(SOFA, people.bob, title="<b>Диван</b>")
    kind = type("TextForm", (forms.Form,), {"text": forms.CharField(validators=[NotNearDuplicate(Ad, ANY)])})
    assert kind({"text": CAT}).is_valid()
    form = kind({"text": SOFA})
    assert not form.is_valid()
    assert "&lt;b&gt;" in str(form.errors) and "<b>" not in str(form.errors)


def test_a_failure_lets_the_text_through(board, people, publish, monkeypatch, caplog):
    def fail(*args, **kwargs):
        raise RuntimeError("no")

    publish(SOFA, people.bob)
    monkeypatch.setattr(check, "find_for_request", fail)
    assert fault(NotNearDuplicate(Ad, ANY), SOFA) is None
    assert "let through unchecked" in caplog.text


def test_words_of_ones_own_and_migrations(board):
    one, two = NotNearDuplicate(Ad, ANY), NotNearDuplicate(Ad, ANY)
    assert one == two and one != NotNearDuplicate(Ad)
    assert str(NotNearDuplicate(Ad, message="Es gibt das schon.").message) == "Es gibt das schon."
    path, args, kwargs = NotNearDuplicate("testapp.Ad", actions=ANY).deconstruct()
    assert (path, args, kwargs) == (
        "django_neardup.validators.NotNearDuplicate", ("testapp.Ad",), {"actions": ANY},
    )  # fmt: skip


def test_a_post_that_is_edited_is_left_out_by_what_is_visible(board, people, publish):
    ad = publish(SOFA, people.bob)
    others = Ad.objects.filter(published=True).exclude(pk=ad.pk)
    assert fault(NotNearDuplicate(Ad, ANY), SOFA) == "near_duplicate"
    assert fault(NotNearDuplicate(Ad, ANY, visible=others), SOFA) is None


def test_a_doubt_never_refuses_a_text(adapt, people, publish):
    adapt(publication=[{"action": "warn"}])
    frame = "Требуется {} на автомобиль, смена с утра до вечера, обеды за счёт фирмы, оплата раз в неделю"
    publish(frame.format("водитель"), people.bob)
    assert fault(NotNearDuplicate(Ad, ANY), frame.format("помощник водителя")) is None
    assert fault(NotNearDuplicate(Ad, ANY), frame.format("повар")) == "near_duplicate"
