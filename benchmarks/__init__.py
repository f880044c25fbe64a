"""Measurements of what the app costs, with its peers in the same run: ``python -m benchmarks --help``."""
