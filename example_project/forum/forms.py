from django import forms
from django.utils.translation import gettext_lazy as _

from django_neardup.forms import NearDuplicateFormMixin
from forum.models import Post


class TopicForm(NearDuplicateFormMixin, forms.ModelForm):
    """The first message of a new topic, and the topic's title."""

    title = forms.CharField(label=_("Title"), max_length=120)

    class Meta:
        model = Post
        fields = ["text"]
        labels = {"text": _("Your question or story")}


class ReplyForm(NearDuplicateFormMixin, forms.ModelForm):
    class Meta:
        model = Post
        fields = ["text"]
        labels = {"text": _("Your reply")}
