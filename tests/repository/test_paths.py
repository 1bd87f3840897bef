"""Everything that the documents name exists: files and folders, sections, and packages in the architecture picture."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted(
    path.relative_to(ROOT).as_posix()
    for path in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    if path.name != "CHANGELOG.md"  # it describes the past
)
FOLDERS = ("engine", "service", "migrations", "demo", "bench", "scripts", "tests", "docs", "ops")
PATH = re.compile(rf"`((?:{'|'.join(FOLDERS)})/[\w./-]*)`")
LINK = re.compile(r"\]\((?!https?:|mailto:|/)([^)#]*)(?:#([^)]*))?\)")


def anchors(document: Path) -> set[str]:
    """Return the anchors that GitHub gives to the headings of a document."""
    headings = re.findall(r"^#+ (.*)$", document.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_named_files_and_linked_sections_exist(name: str) -> None:
    document = ROOT / name
    text = re.sub(r"^```.*?^```$", "", document.read_text(), flags=re.DOTALL | re.MULTILINE)
    missing = [path for path in PATH.findall(text) if not (ROOT / path).exists()]
    for target, anchor in LINK.findall(text):
        linked = document.parent / target if target else document
        if not linked.exists() or (anchor and anchor not in anchors(linked)):
            missing.append(f"{target}#{anchor}")
    assert missing == []


def test_architecture_names_the_modules_of_its_walks() -> None:
    named = PATH.findall((ROOT / "docs" / "ARCHITECTURE.md").read_text())
    assert len([path for path in named if path.startswith("service/") and path.endswith(".py")]) > 30


def test_picture_shows_packages_that_exist() -> None:
    texts = ET.parse(ROOT / "docs" / "architecture.svg").iter("{http://www.w3.org/2000/svg}text")
    shown = {text.text or "" for text in texts if text.get("class") == "code"}
    tables = {each for each in shown if "," in each or each == "progress"}
    packages = shown - tables
    assert packages > {"api", "commands", "engine", "store"}
    for package in packages - {"engine", "app"}:
        assert (ROOT / "service" / package / "__init__.py").exists(), package


def test_decisions_are_numbered_and_listed() -> None:
    folder = ROOT / "docs" / "decisions"
    pages = sorted(page.name for page in folder.glob("[0-9]*.md"))
    listed = re.findall(r"\]\((\d{4}-[\w-]+\.md)\)", (folder / "README.md").read_text())
    assert pages == listed
    assert [int(page[:4]) for page in pages] == list(range(1, len(pages) + 1))
    for page in pages:
        text = (folder / page).read_text()
        assert text.startswith(f"# {page[:4]}: ")
        assert {"## Context", "## Decision", "## Consequences"} <= set(text.splitlines())
