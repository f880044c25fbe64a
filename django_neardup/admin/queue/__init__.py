"""The queue of all that waits for a person: ``items`` are cut from one union, ``page`` and ``rows`` show them."""
