from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from .models import Ad, Category


class AdForm(forms.ModelForm):
    category = forms.ModelChoiceField(Category.objects.filter(children=None), label=_("Category"))

    class Meta:
        model = Ad
        fields = ["title", "text", "price", "city", "phone", "email"]
        widgets = {"phone": forms.TextInput(attrs={"type": "tel"}), "city": forms.TextInput()}

    def _save_m2m(self) -> None:
        super()._save_m2m()
        self.instance.categories.set([self.cleaned_data["category"]])

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if not cleaned.get("phone") and not cleaned.get("email"):
            self.add_error("phone", _("Give a phone or an e-mail, or nobody can answer."))
        return cleaned
