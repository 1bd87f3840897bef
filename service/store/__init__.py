"""The database: tables, their SQL, connections and transactions."""
