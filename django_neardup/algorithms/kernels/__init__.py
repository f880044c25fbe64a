"""Numpy kernels: keys, bags and sketches of many texts at once, and of one text."""
