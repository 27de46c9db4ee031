"""The user guide: what it names is what the product has, and the window opens it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QPixmap, QTextDocument

from deidra.app.cli import cli
from deidra.ui.actions import BINDINGS, LOCAL_KEYS, key_words
from deidra.ui.gallery import SHOTS
from deidra.ui.guide_window import GUIDE, SECTIONS, GuideWindow, guide_of
from deidra.ui.page_stack import PAGES
from deidra.ui.translation import Language, tr, use

TEXT = GUIDE.read_text("utf-8")
NAMED = [(" ".join(name.split()), key) for name, key in re.findall(r"\*\*([^*]+)\*\*\s+\(`([^`]+)`\)", TEXT, re.DOTALL)]
PICTURES = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", TEXT)
COMMANDS = re.findall(r"(?:^    |`)deidra ([a-z]+)", TEXT, re.MULTILINE)
SCRIPTS = re.findall(r"^    bash (\S+)", TEXT, re.MULTILINE)


def test_the_guide_names_keys_pictures_and_commands() -> None:
    assert len(NAMED) > 30
    assert len(PICTURES) > 10
    assert set(COMMANDS) == {"review", "verify", "doctor"}


@pytest.mark.parametrize(("name", "key"), NAMED)
def test_every_key_in_the_guide_is_that_of_the_command_it_stands_beside(name: str, key: str) -> None:
    plain = name.rstrip("…")
    # A page and a command may have one name: Release.
    keys = {key for b in BINDINGS if b.name.removesuffix(" (hold)") == plain for key in b.keys}
    keys |= {key for key, words, _ in LOCAL_KEYS if words == plain}
    assert key in keys


def test_no_other_key_is_in_the_guide() -> None:
    keys = {key for binding in BINDINGS for key in binding.keys} | {key for key, _, _ in LOCAL_KEYS}
    marked = set(re.findall(r"`([^`\n]+)`", TEXT))
    others = {"this type", "project.db", "project.key", "deidra.log", "deidra doctor", "deidra review --language de"}
    assert marked - keys == others


@pytest.mark.parametrize("name", sorted(set(COMMANDS)))
def test_every_command_in_the_guide_exists(name: str) -> None:
    assert name in cli.commands


def test_every_script_in_the_guide_exists() -> None:
    root = Path(__file__).resolve().parents[3]
    assert [script for script in SCRIPTS if not (root / script).is_file()] == []


@pytest.mark.parametrize("name", PICTURES)
def test_every_picture_in_the_guide_exists(qtbot, name: str) -> None:
    assert QPixmap(str(GUIDE.parent / name)).width() > 300


def test_every_picture_that_is_shipped_is_made_by_the_gallery() -> None:
    made = {"welcome.png", "welcome-dark.png"}
    made |= {f"{shot.name}{end}.png" for shot in SHOTS for end in (("", "-dark") if shot.both else ("",))}
    shipped = {path.name for path in (GUIDE.parent / "pictures").iterdir()}
    assert shipped == made
    assert sum((GUIDE.parent / "pictures" / name).stat().st_size for name in shipped) < 1_300_000


def test_every_page_of_the_window_has_a_section_that_exists() -> None:
    headings = set(re.findall(r"^## (.+)$", TEXT, re.MULTILINE))
    assert set(PAGES) <= set(SECTIONS)
    assert set(SECTIONS.values()) <= headings


def opened(driver, project) -> GuideWindow:
    window = driver.open(project)
    window.actions_by_id["guide"].trigger()
    (guide,) = window.findChildren(GuideWindow)
    driver.qtbot.waitExposed(guide)
    return guide


def heading_at_the_top(guide: GuideWindow) -> str:
    layout = guide.pages.document().documentLayout()
    top = guide.pages.verticalScrollBar().value()
    block = guide.pages.document().begin()
    while layout.blockBoundingRect(block).bottom() < top + 10:
        block = block.next()
    return block.text()


def test_help_opens_at_the_section_about_the_page_in_front(driver, project) -> None:
    guide = opened(driver, project)
    assert guide.isVisible()
    assert not guide.isModal()
    assert heading_at_the_top(guide) == "Review what waits"
    window = guide.parent()
    window.actions_by_id["policy"].trigger()
    window.actions_by_id["guide"].trigger()
    assert window.findChildren(GuideWindow) == [guide]
    assert heading_at_the_top(guide) == "Choose a policy"


def test_the_contents_list_every_section_and_lead_there(driver, project) -> None:
    guide = opened(driver, project)
    headings = re.findall(r"^## (.+)$", TEXT, re.MULTILINE)
    assert [guide.contents.item(row).text() for row in range(guide.contents.count())] == headings
    guide.contents.setCurrentRow(headings.index("Make a project"))
    assert heading_at_the_top(guide) == "Make a project"


def test_a_word_is_found_and_enter_finds_the_next(driver, project) -> None:
    guide = opened(driver, project)
    driver.qtbot.keyClicks(guide.search, "password")
    first = guide.pages.textCursor().position()
    assert guide.pages.textCursor().selectedText().lower() == "password"
    driver.qtbot.keyClick(guide.search, Qt.Key.Key_Return)
    assert guide.pages.textCursor().position() > first
    assert guide.isVisible()
    driver.qtbot.keyClicks(guide.search, "xyzzy")
    assert guide.found.text() == "Not found"


def test_pictures_fit_into_the_text_and_nothing_else_is_loaded(driver, project) -> None:
    guide = opened(driver, project)
    image = QTextDocument.ResourceType.ImageResource.value
    picture = guide.pages.loadResource(image, QUrl(PICTURES[0]))
    assert 300 < picture.width() <= 680
    assert guide.pages.loadResource(image, QUrl("../../secret.png")) is None
    assert guide.pages.loadResource(QTextDocument.ResourceType.HtmlResource.value, QUrl("guide.md")) is None


GERMAN = guide_of(Language.GERMAN).read_text("utf-8")


def skeleton(text: str) -> list[str]:
    """What every translation has at the same places: levels of headings, lists, pictures and commands."""
    lines = []
    for line in text.splitlines():
        if line.startswith("    ") or line.startswith("!"):
            lines.append(line[line.find("(") :] if line.startswith("!") else line)
        elif line.startswith("#"):
            lines.append(line.split(" ")[0])
        elif found := re.match(r"- \*\*|\d\. ", line):
            lines.append(found[0])
    return lines


def test_the_german_guide_has_the_sections_lists_pictures_and_commands_of_the_english_one() -> None:
    assert guide_of(Language.GERMAN) != GUIDE == guide_of(Language.ENGLISH)
    assert len(skeleton(TEXT)) > 80
    assert skeleton(GERMAN) == skeleton(TEXT)


def test_the_german_guide_calls_commands_and_keys_as_the_german_window_does(qapp) -> None:
    use(Language.GERMAN)
    known = {(b.name.removesuffix(" (halten)"), key_words(key)) for b in BINDINGS for key in b.keys}
    keys = {key for _, key in known} | {tr(key) for key, _, _ in LOCAL_KEYS}
    named = re.findall(r"\*\*([^*]+)\*\*\s+\(`([^`]+)`\)", GERMAN)
    assert len(named) == len(NAMED)
    assert {(" ".join(name.split()).rstrip("…"), key) for name, key in named} <= known
    files = {"project.db", "project.key", "deidra.log", "deidra doctor", "deidra review --language de"}
    assert set(re.findall(r"`([^`\n]+)`", GERMAN)) - keys == files | {"dieser Schrift"}


def test_every_word_that_the_german_guide_sets_in_bold_stands_in_the_german_window() -> None:
    use(Language.GERMAN)
    from .test_catalogue import MESSAGES, forms

    shown = {form.replace("&", "").rstrip("…") for message in MESSAGES for form in forms(message.string)}
    # What begins an entry of a list is told or explained there; the rest names what is on the screen.
    bold = [
        found for found in re.finditer(r"\*\*([^*]+)\*\*", GERMAN) if GERMAN[found.start() - 2 : found.start()] != "- "
    ]
    named = {" ".join(found[1].split()).rstrip("…") for found in bold}
    assert len(named) > 40
    assert {word for word in named if word not in shown and f"{word} (halten)" not in shown} == set()


def test_help_opens_at_the_same_section_in_german(driver, project) -> None:
    use(Language.GERMAN)
    guide = opened(driver, project)
    assert heading_at_the_top(guide) == "Prüfen, was wartet"
    assert guide.windowTitle() == "Benutzerhandbuch"
