from board.models import Ad
from django import forms

from django_neardup.forms import NearDuplicateFormMixin
from django_neardup.validators import NotNearDuplicate


class AdForm(NearDuplicateFormMixin, forms.ModelForm[Ad]):
    class Meta:
        model = Ad
        fields = ["title", "text"]


class PlainForm(forms.Form):
    text = forms.CharField(validators=[NotNearDuplicate(Ad)])
