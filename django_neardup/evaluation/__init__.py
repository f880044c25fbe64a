"""The bench: judge labelled pairs and whole collections with any algorithm, and measure the results.

Run it with ``python -m django_neardup.evaluation --help``. It needs no settings.
"""
