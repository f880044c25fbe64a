import django_neardup as neardup
from tests.sites.themes_site.models import Advert


@neardup.register(Advert)
class AdvertNeardup(neardup.Adapter):
    fields = ["title", "text"]
    authors = "auth.User"

    def author(self, advert):
        return advert.author_id
