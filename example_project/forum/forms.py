from django import forms
from django.utils.translation import gettext_lazy as _

from django_neardup.forms import NearDuplicateFormMixin
from forum.models import Post


class ReplyForm(NearDuplicateFormMixin, forms.ModelForm):
    class Meta:
        model = Post
        fields = ["text"]
        labels = {"text": _("Your reply")}
