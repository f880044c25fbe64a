from django_tenants.models import DomainMixin, TenantMixin


class Customer(TenantMixin):
    auto_create_schema = True


class Domain(DomainMixin):
    pass
