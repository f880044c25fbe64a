"""Measurements of what the app costs: ``python -m benchmarks --help``."""
