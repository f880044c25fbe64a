"""The review queue: the clusters and pairs that wait for a moderator.

``queue_query`` reads them with one union query. ``queue_page`` and ``queue_rows`` prepare them for the page.
"""
