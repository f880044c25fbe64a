import pytest

pytest.register_assert_rewrite("tests.index.contract")
