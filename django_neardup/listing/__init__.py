"""Lists without duplicates: groups made from a list of posts, and querysets collapsed by the database."""
