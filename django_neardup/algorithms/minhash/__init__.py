"""MinHash: sketches of sets, and the algorithms that find candidates by bands of a sketch."""
