"""The package's own SQL, by table. All other queries are Django's querysets."""
