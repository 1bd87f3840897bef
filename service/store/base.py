"""The declarative base, the application's database object, and the conversion of database URLs."""

from datetime import datetime

from flask_sqlalchemy import SQLAlchemy
from psycopg.conninfo import conninfo_to_dict
from sqlalchemy import TIMESTAMP, URL, LargeBinary, Text
from sqlalchemy.orm import DeclarativeBase, registry


class Base(DeclarativeBase):
    """The base of all mapped classes. The schema is created by `migrations/`; a test compares the two."""

    registry = registry(type_annotation_map={str: Text(), bytes: LargeBinary(), datetime: TIMESTAMP(timezone=True)})


db = SQLAlchemy(model_class=Base, session_options={"expire_on_commit": False})
"""``expire_on_commit`` is off, so what a command returns can be shown after its commit without another read."""


def engine_url(database_url: str) -> URL:
    """Return the SQLAlchemy URL, with the psycopg driver, for a `DATABASE_URL` as libpq and hosts write it.

    Both `postgres://` and `postgresql://` are accepted; a driver in the URL is replaced. Several hosts, which
    SQLAlchemy's own parser refuses, stay as libpq lists them.
    """
    scheme, _, rest = database_url.partition("://")
    if scheme.partition("+")[0] not in ("postgresql", "postgres"):
        raise ValueError("DATABASE_URL must begin with postgresql://; no other database is supported.")
    given = {name: str(value) for name, value in conninfo_to_dict(f"postgresql://{rest}").items()}
    return URL.create(
        "postgresql+psycopg",
        username=given.pop("user", None),
        password=given.pop("password", None),
        database=given.pop("dbname", None),
        query=given,
    )
