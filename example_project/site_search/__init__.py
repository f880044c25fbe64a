"""The board's own search index in OpenSearch, with one result for each group.

It is installed if OPENSEARCH_URL is set (config/settings.py). docs/guide/site-search.md explains it.

- ``receivers``: note each advert with a change in a table, in the transaction of the change.
- ``ad_documents``: what the index stores of an advert.
- ``indexing``: send noted adverts, build the index, compare it with the database.
- ``searching``: results, pages and totals for the search page.
"""
