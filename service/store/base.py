"""The declarative base, the database object of the application, and the spelling of its address."""

from datetime import datetime

from flask_sqlalchemy import SQLAlchemy
from sqlalchemy import TIMESTAMP, URL, LargeBinary, Text, make_url
from sqlalchemy.orm import DeclarativeBase, registry


class Base(DeclarativeBase):
    """Base of all mapped classes. The schema itself is made by ``migrations/``; a test holds the two together."""

    registry = registry(type_annotation_map={str: Text(), bytes: LargeBinary(), datetime: TIMESTAMP(timezone=True)})


#: ``expire_on_commit`` is off: what a command returns is shown after its commit without being read again.
db = SQLAlchemy(model_class=Base, session_options={"expire_on_commit": False})


def engine_url(database_url: str) -> URL:
    """The SQLAlchemy address, with psycopg as driver, of a ``DATABASE_URL`` as libpq and hosts spell it.

    ``postgres://`` and ``postgresql://`` are both taken; a driver that is named already is replaced.
    """
    url = make_url(database_url)
    if url.drivername.partition("+")[0] not in ("postgresql", "postgres"):
        raise ValueError("DATABASE_URL must begin with postgresql://; no other database is supported.")
    return url.set(drivername="postgresql+psycopg")
