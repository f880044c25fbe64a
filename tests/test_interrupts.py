"""The alarm that ends a job, wherever it goes off: no post is guilty, and the job does not go on without it."""

from __future__ import annotations

from typing import Any

import pytest
from rq.timeouts import JobTimeoutException

from django_neardup import queues
from django_neardup.adapters import adapter_for
from django_neardup.models import Hold
from django_neardup.prepublication.holds import hold_in_state
from tests.pipeline.helpers import SOFA, SOFA_EDITED, post, work
from tests.queue_tools import everywhere, waiting
from tests.testapp.models import Ad

pytestmark = [everywhere, pytest.mark.engine_alike]


def goes_off(*args: Any) -> None:
    raise JobTimeoutException


def test_while_another_post_is_read(monkeypatch) -> None:
    other, kind = post(SOFA), type(adapter_for(Ad))
    work()
    post(SOFA_EDITED)
    read = kind.text
    monkeypatch.setattr(kind, "text", lambda self, ad: goes_off() if ad.pk == other.pk else read(self, ad))
    with pytest.raises(JobTimeoutException):
        queues.drain()
    assert waiting() == 1


def test_while_a_listener_judges_a_held_post(monkeypatch) -> None:
    hold_in_state(post(SOFA), "checking")
    monkeypatch.setattr(type(adapter_for(Ad)), "show", goes_off)
    with pytest.raises(JobTimeoutException):
        queues.drain()
    assert (Hold.objects.get().state, waiting()) == ("checking", 1)
