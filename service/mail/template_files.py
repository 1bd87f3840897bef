"""Read the templates of a package once, so that a process renders those of its own release as long as it runs.

The files of a later release may be put in the place of these while the process serves requests; if it read one of them
then, that would use what this release's code does not give it.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

from jinja2 import BaseLoader, Environment, TemplateNotFound


class PackageTemplates(BaseLoader):
    """A loader of the templates that the folder `templates` of a package had when this was created.

    It keeps their sources, which takes milliseconds; they are compiled when they are first used, for each language.
    """

    def __init__(self, package: str) -> None:
        self._folder = Path(str(files(package))) / "templates"
        self._sources = {
            path.relative_to(self._folder).as_posix(): path.read_text(encoding="utf-8")
            for path in self._folder.rglob("*.*")
        }

    def get_source(self, environment: Environment, template: str) -> tuple[str, str, Callable[[], bool] | None]:
        """Return the source of a template and the path of its file, as Jinja asks for them."""
        if template not in self._sources:
            raise TemplateNotFound(template)
        return self._sources[template], str(self._folder / template), None

    def list_templates(self) -> list[str]:
        """Return the names of all templates."""
        return sorted(self._sources)
