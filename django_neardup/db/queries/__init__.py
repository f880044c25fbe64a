"""The package's own SQL, by the table that it is about. Everything else asks Django's querysets."""
