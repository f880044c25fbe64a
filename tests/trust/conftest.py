"""Fixtures of the admin and of the forms, for attacks on their pages."""

from tests.admin.conftest import ads, root  # noqa: F401
from tests.prepublication.conftest import adapt, board, people, publish, submit  # noqa: F401
