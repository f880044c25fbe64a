"""The bench: judges labelled pairs and whole collections with any algorithm, and says how well each did.

Run it with ``python -m django_neardup.evaluation --help``.  It needs no Django and no settings.
"""
