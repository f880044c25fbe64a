"""The contract of a key index on a real OpenSearch: nothing shipped, a part of the changes, and all of them."""

import pytest

from tests.index.contract import IndexContract
from tests.index.opensearch_helpers import delete_indexes, site_setting

HERE = "tests.index.opensearch_helpers"


class OpenSearchContract(IndexContract):
    @pytest.fixture(autouse=True)
    def _index(self, settings, opensearch):
        settings.NEARDUP = site_setting(opensearch, self.path)
        yield
        delete_indexes(opensearch)


@pytest.mark.opensearch
class TestPartlyShippedIndex(OpenSearchContract):
    path = f"{HERE}.PartlyShippedIndex"


@pytest.mark.opensearch
@pytest.mark.long
class TestShippedIndex(OpenSearchContract):
    path = f"{HERE}.ShippedIndex"


@pytest.mark.opensearch
@pytest.mark.long
class TestLoadingIndex(OpenSearchContract):
    path = f"{HERE}.LoadingIndex"


@pytest.mark.opensearch
@pytest.mark.long
class TestFreshIndex(OpenSearchContract):
    path = f"{HERE}.RecordingIndex"
