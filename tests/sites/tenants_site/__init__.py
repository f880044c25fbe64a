"""A site of django-tenants: each customer has a schema of PostgreSQL with posts of its own."""
