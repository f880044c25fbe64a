"""The queue of all that waits for a person: ``queue_query`` cuts them from one union, ``queue_page`` and ``queue_rows``
show them."""
