from __future__ import annotations

from typing import Any

from django import forms
from django.utils import timezone

from django_neardup.forms import NearDuplicateFormMixin
from news.models import Article


class ArticleForm(NearDuplicateFormMixin, forms.ModelForm):
    """A reader's article, new or edited."""

    class Meta:
        model = Article
        fields = ["headline", "body"]

    def save(self, commit: bool = True) -> Any:
        if self.instance.pk:
            self.instance.edited = timezone.now()
        else:
            self.instance.author = self.request.user
        return super().save(commit)
