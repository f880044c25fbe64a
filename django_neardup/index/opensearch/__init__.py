"""Keys in OpenSearch, for sites whose keys outgrow one database server.

- ``opensearch_index``: the index class: changes, look-ups, status.
- ``opensearch_options``: its options in the setting INDEX.
- ``opensearch_client``: requests, and their errors as ``IndexUnavailable``.
- ``key_documents``: the bodies of requests: mapping, documents, look-ups.
- ``text_search``: the analyzers of texts, and searches of their words.
- ``post_texts``: the texts that are sent, read from the posts.
- ``index_state``: the row that counts shipments and names the index in use.
- ``declared_keys``: the keys of documents, as their fingerprints declare them.
- ``replacement``: builds a new index beside the one in use, and switches to it.
- ``drift``: compares an index with the fingerprints.
- ``bulk_writing``: writes documents with versions.
- ``shipping``: sends recorded changes, and forgets them when they are searchable.

A change is first recorded in the database, in the transaction that stores the fingerprint: new keys in
``neardup_key``, removed ones in ``neardup_removedkey``, and a row in ``neardup_keychange``. A look-up reads the
database first, then OpenSearch. So two posts saved at once find each other, even if OpenSearch has refreshed neither.
"""

from .opensearch_index import OpenSearchIndex
from .opensearch_options import OpenSearchOptions

__all__ = ["OpenSearchIndex", "OpenSearchOptions"]
