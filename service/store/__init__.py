"""The database: tables, their SQL, the unit of work."""
