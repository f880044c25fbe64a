"""What neardup knows of products and of their reviews."""

from oscar.apps.catalogue.models import Product
from oscar.apps.catalogue.reviews.models import ProductReview

import django_neardup as neardup


@neardup.register(Product)
class ProductNeardup(neardup.Adapter):
    fields = ["title", "description"]
    identity = ["upc"]
    watch = ["is_public"]

    def live(self):
        return Product.objects.filter(is_public=True)

    def compared(self):
        return Product.objects.all()

    def hide(self, product):
        product.is_public = False
        product.save()

    def show(self, product):
        product.is_public = True
        product.save()

    def recount(self, products):
        """Rate the products by the reviews that they have now."""
        for product in Product.objects.filter(pk__in=[product.pk for product in products]):
            product.update_rating()


@neardup.register(ProductReview)
class ReviewNeardup(neardup.Adapter):
    fields = ["title", "body"]

    def recount(self, reviews):
        for review in ProductReview.objects.filter(pk__in=[review.pk for review in reviews]):
            review.update_totals()
        for product in Product.objects.filter(pk__in=[review.product_id for review in reviews]):
            product.update_rating()
