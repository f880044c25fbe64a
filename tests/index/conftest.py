"""Fixtures of the forms, for checks while the key index does not answer."""

from tests.prepublication.conftest import adapt, submit  # noqa: F401
