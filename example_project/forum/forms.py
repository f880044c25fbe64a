from django import forms
from django.utils.translation import gettext_lazy as _

from .models import Post


class ReplyForm(forms.ModelForm):
    class Meta:
        model = Post
        fields = ["text"]
        labels = {"text": _("Your reply")}
