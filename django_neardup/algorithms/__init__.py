"""Algorithms: how a text is stored, how candidates are found, and how two texts are judged."""

from .base import Algorithm, Judgement
from .registry import UnknownAlgorithm, algorithm_names, get_algorithm, register

__all__ = ["Algorithm", "Judgement", "UnknownAlgorithm", "algorithm_names", "get_algorithm", "register"]
