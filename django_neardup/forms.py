"""Forms that check a post before it is published:

``class AdForm(NearDuplicateFormMixin, forms.ModelForm)``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import Model
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from .adapters import Adapter, adapter_for, reads_unnamed
from .prepublication.check import is_published_unchanged
from .prepublication.form_policy import FormCheck
from .similar_posts.template_names import template_names

# The mixin works with any form class, so it has no form base at run time.
if TYPE_CHECKING:
    FormBase = forms.BaseForm
else:
    FormBase = object


class RenderableFormCheck(FormCheck):
    """The result of the check and its decision. As a string, it is the HTML block for the visitor."""

    def __str__(self) -> SafeString:
        if not self.is_shown:
            return SafeString("")
        names = template_names(self.adapter.model, "policy.html")
        return render_to_string(names, {"neardup": self}, self.request)

    __html__ = __str__


class NearDuplicateFormMixin(FormBase):
    """Mixin for the form of a registered model. It needs the request: ``AdForm(request.POST,
    request=request)``.

    The publication rules decide about a post that is similar to others. It is accepted, held or refused, or
    the visitor sees the similar posts first.

    ``{{ form.neardup }}`` shows the visitor the result and the buttons. Place it inside the ``<form>``.

    ``save()`` publishes the post, saves it held, or renews an old post of the visitor, which it then returns.
    ``form.neardup.outcome`` and ``form.neardup.message`` say which of these happened.

    A plain form overrides ``get_neardup_instance`` and calls ``publish``.
    """

    def __init__(self, *args: Any, request: HttpRequest, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.request = request
        self._form_check = RenderableFormCheck(self, request)

    @property
    def neardup(self) -> RenderableFormCheck:
        """Return the result and the decision, for templates and views."""
        _ = self.errors  # cleans the form on first access, which runs the check
        return self._form_check

    def get_neardup_instance(self) -> Model | None:
        """Return the unsaved post that the form makes.

        Return None if there is nothing to check, as in a draft.
        """
        return getattr(self, "instance", None)

    def needs_neardup_check(self, instance: Model, adapter: Adapter) -> bool:
        """Return whether the post must be checked.

        It must, if its content may have changed or if it is not published yet.
        """
        if instance._state.adding or reads_unnamed(adapter):
            return True
        return not is_published_unchanged(instance, adapter)

    def full_clean(self) -> None:
        super().full_clean()
        self._form_check = RenderableFormCheck(self, self.request)
        if not self.is_bound or (self.empty_permitted and not self.has_changed()):
            return
        instance = self.get_neardup_instance()
        if instance is not None:
            self._check_instance(instance)

    def save(self, commit: bool = True) -> Any:
        """Save as ``ModelForm.save`` does, and return the post.

        If an old post is renewed, return the old post. It is saved even if ``commit`` is false.
        """
        renewed_post = self.neardup.prepare_save()
        if renewed_post is None:
            return super().save(commit)  # type: ignore[misc]
        if not commit:
            self.save_m2m = _keep_m2m
        return renewed_post

    def publish(self, instance: Model) -> Model:
        """Save the post of a plain form, and return it. Call it in place of ``instance.save()``.

        If an old post is renewed, return the old post.
        """
        renewed_post = self.neardup.prepare_save(instance)
        if renewed_post is None:
            instance.save()
        return renewed_post or instance

    def _check_instance(self, instance: Model) -> None:
        form_check, is_changed = self._form_check, True
        if not self.errors:
            is_changed = self.needs_neardup_check(instance, adapter_for(instance))
        form_check.set_instance(instance, is_changed)
        # Search posts only for a form that is valid, or if the visitor asked to see similar posts.
        if form_check.is_check_requested or (is_changed and not self.errors):
            form_check.check()
        problem = form_check.problem
        if problem is not None:
            self.add_error(None, ValidationError(str(problem[0]), code=problem[1]))


def _keep_m2m() -> None:
    """Stand in for ``save_m2m`` of a renewed post: relations that ``renew()`` did not update stay unchanged."""
