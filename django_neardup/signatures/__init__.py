"""Algorithms: what a text is stored as, where its candidates come from, and how two texts are judged."""

from .base import Algorithm, Judgement
from .registry import UnknownAlgorithm, algorithm_names, get_algorithm, register

__all__ = ["Algorithm", "Judgement", "UnknownAlgorithm", "algorithm_names", "get_algorithm", "register"]
