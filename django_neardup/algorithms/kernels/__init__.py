"""Numpy kernels: keys, bags and sketches of many texts together, and of one text."""
