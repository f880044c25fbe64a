from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from board.models import Ad, AdReport, Category
from django_neardup.forms import NearDuplicateFormMixin


class AdForm(NearDuplicateFormMixin, forms.ModelForm):
    """An advert to publish or, by the button "draft", to keep for oneself, unchecked."""

    category = forms.ModelChoiceField(Category.objects.filter(children=None), label=_("Category"))

    class Meta:
        model = Ad
        fields = ["title", "text", "price", "city", "phone", "email"]
        widgets = {"phone": forms.TextInput(attrs={"type": "tel"}), "city": forms.TextInput()}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk:
            self.initial.setdefault("category", self.instance.categories.first())
        elif self.request.user.is_authenticated:
            self.instance.user = self.request.user
        self.may_draft = not self.instance.pk or self.instance.published or self.instance.draft
        self.is_draft = self.may_draft and self.data.get("do") == "draft"

    def get_neardup_instance(self) -> Ad | None:
        return None if self.is_draft else self.instance

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if not cleaned.get("phone") and not cleaned.get("email"):
            self.add_error("phone", _("Give a phone or an e-mail, or nobody can answer."))
        return cleaned

    def save(self, commit: bool = True) -> Ad:
        if self.may_draft:
            self.instance.published, self.instance.draft = not self.is_draft, self.is_draft
        ad: Ad = super().save(commit)
        if ad is not self.instance:  # the earlier one, renewed
            self._put(ad)
        return ad

    def _save_m2m(self) -> None:
        super()._save_m2m()
        self._put(self.instance)

    def _put(self, ad: Ad) -> None:
        """Onto the shelf that was chosen."""
        ad.categories.set([self.cleaned_data["category"]])


class AppealForm(forms.ModelForm):
    """`ads`: those that the objection may be about; nothing is asked where it is one."""

    class Meta:
        model = AdReport
        fields = ["ad", "text"]
        labels = {"ad": _("Which of your adverts is in the way"), "text": _("What makes it another one")}

    def __init__(self, *args: Any, ads: Sequence[Ad], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["text"].required = True
        self.fields["ad"].queryset = Ad.objects.filter(pk__in=[ad.pk for ad in ads])
        if len(ads) == 1:
            del self.fields["ad"]
            self.instance.ad = ads[0]
