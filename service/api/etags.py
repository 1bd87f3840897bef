"""ETags of tables: ``"{version}-{revision}"``, and reads that depend on one (RFC 9110, 13)."""

from flask import Response, request


def etag(version: int, revision: int) -> str:
    """The ETag, quotes included, of a table at this version and revision."""
    return f'"{version}-{revision}"'


def not_modified(tag: str) -> Response | None:
    """The 304 to this GET if its ``If-None-Match`` names the tag (weakly compared, or ``*``), else None."""
    if not request.if_none_match.contains_weak(tag.strip('"')):
        return None
    return Response(status=304, headers={"ETag": tag})
