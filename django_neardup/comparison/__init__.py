"""The one way in which texts are compared: from their keys to the verdicts.

- ``candidates``: finds posts that share keys with a text, screens them, and chooses which to align.
- ``verify``: aligns the texts and judges the pairs.

A ``ComparedPosts`` tells both stages with which posts to compare: it reads buckets, fingerprints and texts,
and knows the visible posts. Its subclasses are:

- ``pipeline.stored_posts``: all posts of the database. The worker and the first index use it.
- ``search.visible_posts``: the posts that a caller may see, for ``find_similar`` and ``check_many``.
- ``memory_posts``: texts in memory, for the repeats of a batch, ``neardup_preview`` and the evaluation.

Nothing is written here, and Django is not needed. Shared by the stages:

- ``posts``: the interface of ``ComparedPosts``.
- ``bucket_matches``: the posts in the buckets of a text's keys.
- ``compared_texts``: the values that one stage passes to the next.
- ``packed_keys``: keys as bytes.
"""
