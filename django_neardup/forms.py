"""Forms that look before they publish: ``class AdForm(NearDuplicateFormMixin, forms.ModelForm)``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import Model
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from .adapters import Adapter, adapter_for, reads_unnamed
from .publishing.looking import is_as_published
from .publishing.policy import Policy
from .templating import template_names

if TYPE_CHECKING:
    Base = forms.BaseForm
else:
    Base = object


class FormPolicy(Policy):
    """What is found and decided; as a text, the block that tells the visitor."""

    def __str__(self) -> SafeString:
        if not self.is_shown:
            return SafeString("")
        names = template_names(self.adapter.model, "policy.html")
        return render_to_string(names, {"neardup": self}, self.request)

    __html__ = __str__


class NearDuplicateFormMixin(Base):
    """For the form of a registered model; give it the request: ``AdForm(request.POST, request=request)``.

    A post that is like others is let through, shown beside them first, held or refused, as the rules of publication
    say. ``{{ form.neardup }}``, inside the ``<form>``, is what the visitor is told, with its buttons. ``save()``
    publishes the post, saves it held, or renews an old one of the visitor's, which it then returns;
    ``form.neardup.outcome`` and ``form.neardup.message`` say which. A plain form overrides ``get_neardup_instance`` and
    calls ``publish``.
    """

    def __init__(self, *args: Any, request: HttpRequest, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.request = request
        self._policy = FormPolicy(self, request)

    @property
    def neardup(self) -> FormPolicy:
        """What is found and decided, for templates and views."""
        _ = self.errors  # cleans the form, if nobody has asked yet
        return self._policy

    def get_neardup_instance(self) -> Model | None:
        """The unsaved post that the form makes; None where there is nothing to look at (a draft, say)."""
        return getattr(self, "instance", None)

    def needs_neardup_check(self, instance: Model, adapter: Adapter) -> bool:
        """Whether the post may say what it did not say before, or is not published so far."""
        if instance._state.adding or reads_unnamed(adapter):
            return True
        return not is_as_published(instance, adapter)

    def full_clean(self) -> None:
        super().full_clean()
        self._policy = FormPolicy(self, self.request)
        if not self.is_bound or (self.empty_permitted and not self.has_changed()):
            return
        instance = self.get_neardup_instance()
        if instance is not None:
            self._look(instance)

    def save(self, commit: bool = True) -> Any:
        """As ``ModelForm.save``; of an old post that is renewed, the old post, saved whatever ``commit`` says."""
        old = self.neardup.begin()
        if old is None:
            return super().save(commit)  # type: ignore[misc]
        if not commit:
            self.save_m2m = _nothing
        return old

    def publish(self, instance: Model) -> Model:
        """What a plain form calls in place of ``instance.save()``: the post that was saved, the old one if renewed."""
        old = self.neardup.begin(instance)
        if old is None:
            instance.save()
        return old or instance

    def _look(self, instance: Model) -> None:
        policy, changed = self._policy, True
        if not self.errors:
            changed = self.needs_neardup_check(instance, adapter_for(instance))
        policy.know(instance, changed)
        if policy.asks_to_check or (changed and not self.errors):
            policy.look()
        problem = policy.problem
        if problem is not None:
            self.add_error(None, ValidationError(str(problem[0]), code=problem[1]))


def _nothing() -> None:
    """``save_m2m`` of an old post: what ``renew()`` has not brought up to date stays as it was."""
