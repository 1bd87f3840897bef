"""Templates are those of the release that a process began with, whatever is put in the place of their files."""

from pathlib import Path

import pytest
from jinja2 import Environment, TemplateNotFound

from service.mail.rendering import OF_MAILS
from service.mail.template_files import PackageTemplates


def test_templates_stay_as_they_were_at_the_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "posted_cards" / "templates" / "card"
    folder.mkdir(parents=True)
    (tmp_path / "posted_cards" / "__init__.py").touch()
    card, other = folder / "card.html", folder / "other.html"
    card.write_text("{% include 'card/other.html' %} {{ name }}")
    other.write_text("Dear")
    monkeypatch.syspath_prepend(tmp_path)
    templates = Environment(loader=PackageTemplates("posted_cards"))
    card.write_text("{{ what_later_code_gives }}")
    other.unlink()
    assert templates.get_template("card/card.html").render(name="Ann") == "Dear Ann"
    assert templates.list_templates() == ["card/card.html", "card/other.html"]
    with pytest.raises(TemplateNotFound):
        templates.get_template("card/none.html")


def test_errors_in_templates_name_their_files() -> None:
    (mails,) = OF_MAILS
    _, path, _ = mails.get_source(Environment(), "turn/body.txt")
    assert path.endswith("service/mail/templates/turn/body.txt") and Path(path).is_file()
