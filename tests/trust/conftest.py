"""Fixtures of the admin, for attacks on its pages."""

from tests.admin.conftest import ads, root  # noqa: F401
