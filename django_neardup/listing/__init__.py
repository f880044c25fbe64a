"""Lists without repetitions: groups made from a list of posts, and querysets collapsed by the database."""
