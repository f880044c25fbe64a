"""The fields that django-modeltranslation translates."""

from modeltranslation.translator import TranslationOptions, register

from . import translated


@register(translated.ColumnPost)
class ColumnPostTranslation(TranslationOptions):
    fields = ("title", "text", "slug")


@register(translated.ColumnComment)
class ColumnCommentTranslation(TranslationOptions):
    fields = ("text",)


@register(translated.Banner)
class BannerTranslation(TranslationOptions):
    fields = ("post",)
