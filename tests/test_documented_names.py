"""Pages name what there is: functions with their signatures, template tags, messages, and words on the screen."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.template import Engine, TemplateSyntaxError

import django_neardup
from django_neardup.templatetags import neardup as tags
from tests.documents import DOCS, FENCE, blocks
from tests.test_translations import MESSAGES, PLACEHOLDER

PACKAGE = Path(django_neardup.__file__).parent
API = (DOCS / "reference" / "python-api.md").read_text(encoding="utf-8")
TEMPLATE_TAGS = (DOCS / "reference" / "template-tags.md").read_text(encoding="utf-8")
GLOSSARY = (DOCS / "reference" / "glossary.md").read_text(encoding="utf-8")
TROUBLES = DOCS / "guide" / "troubleshooting.md"
WHOLE_MODULES = (
    "django_neardup",
    "django_neardup.moderation",
    "django_neardup.prepublication",
    "django_neardup.authors",
    "django_neardup.testing",
)
"""Modules with a section that describes every public name."""
OF_DJANGO = ("database is locked", "missing 1 required keyword-only argument: 'request'")
"""Messages of SQLite and Python that the page of troubles explains."""


def sections(text: str, level: str = "##") -> dict[str, str]:
    """Return the text of each section with a heading in code type, by the heading."""
    found = re.findall(
        rf"^{level} `([^`]+)`\n(.*?)(?=^#{{1,{len(level)}}} |\Z)", text, re.MULTILINE | re.DOTALL
    )
    return dict(found)


def described_names(module: str) -> dict[str, str]:
    """Return the headings of a module's section by name: name and signature, or the name only."""
    headings = re.findall(r"^### `([^`]+)`$", sections(API)[module], re.MULTILINE)
    return {heading.partition("(")[0]: heading for heading in headings}


def signature(value: object) -> str:
    """Return a signature without annotations, as the page writes it."""
    found = inspect.signature(value)  # type: ignore[arg-type]
    bare = [parameter.replace(annotation=inspect.Parameter.empty) for parameter in found.parameters.values()]
    text = str(found.replace(parameters=bare, return_annotation=inspect.Signature.empty))
    return text.replace("<factory>", "…")


@pytest.mark.parametrize("module", WHOLE_MODULES)
def test_every_public_name_is_described(module: str) -> None:
    assert set(described_names(module)) == set(importlib.import_module(module).__all__)


@pytest.mark.parametrize("module", WHOLE_MODULES)
def test_a_signature_is_that_of_the_code(module: str) -> None:
    for name, heading in described_names(module).items():
        value = getattr(importlib.import_module(module), name)
        if inspect.isfunction(value) or "(" in heading:
            assert heading == f"{name}{signature(value)}"


def test_every_import_of_the_other_modules_is_possible() -> None:
    paths = re.findall(r"^\| `(django_neardup[\w.]+)` \|", API, re.MULTILINE)
    assert len(paths) > 20
    for path in paths:
        module, _, name = path.rpartition(".")
        assert hasattr(importlib.import_module(module), name), path


def test_every_exception_is_described() -> None:
    from django_neardup import exceptions

    classes = {
        name
        for name, value in vars(exceptions).items()
        if inspect.isclass(value) and issubclass(value, exceptions.NeardupError)
    }
    described = re.findall(r"^\| `(\w+)` \|", sections(API)["django_neardup.exceptions"], re.MULTILINE)
    assert set(described) == classes


def test_every_template_tag_is_described() -> None:
    assert set(sections(TEMPLATE_TAGS)) == set(tags.register.tags)
    assert not tags.register.filters


@pytest.mark.parametrize("tag", sorted(tags.USAGES))
def test_the_use_of_a_tag_is_possible_with_every_option(tag: str) -> None:
    section = sections(TEMPLATE_TAGS)[tag]
    uses = [
        line for block in FENCE.findall(section) if block[0] == "django" for line in block[1].splitlines()
    ]
    for use in uses:
        Engine.get_default().from_string("{% load neardup %}" + use)
    options = {option for use in uses for option in re.findall(r"(\w+)=", use)}
    assert options == set(tags.USAGES[tag].options)
    assert any(" as " in use for use in uses) or tag == "neardup_canonical"


def test_the_glossary_has_the_words_of_the_tables() -> None:
    from django.apps import apps

    named = set(re.findall(r"\(`(\w+)`\)", GLOSSARY))
    models = {model.__name__ for model in apps.get_app_config("neardup").get_models()}
    assert named - models == {"Adapter", "CanonicalText", "Queue"} - models
    assert {
        "Document",
        "Fingerprint",
        "Pair",
        "Cluster",
        "Decision",
        "MergeRecord",
        "Hold",
        "Scheme",
    } <= named


def literals(path: Path) -> Iterator[str]:
    """Yield the texts of a module. Values inside a text are left out: "…" stands for them."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.JoinedStr):
            yield "".join(part.value if isinstance(part, ast.Constant) else "…" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def printed_texts() -> str:
    """Return everything that the package can print, with "…" for each value."""
    modules = [text for path in PACKAGE.rglob("*.py") for text in literals(path)]
    templates = [path.read_text(encoding="utf-8") for path in PACKAGE.rglob("templates/**/*.html")]
    return re.sub(r"%\(\w+\)[sd]|%[rsd]|%\d*\.?\d*[fdg]", "…", "\n".join([*modules, *templates]))


def test_messages_of_the_page_of_troubles_are_those_of_the_code() -> None:
    text = TROUBLES.read_text(encoding="utf-8")
    headings = re.findall(r"^### `(.+)`$", text, re.MULTILINE)
    printed = printed_texts()
    assert len(headings) > 15
    for heading in headings:
        if heading not in OF_DJANGO:
            parts = [part.strip() for part in heading.split("…") if part.strip()]
            missing = [part for part in parts if part not in printed]
            assert parts and not missing, f"the app does not print {missing} of {heading!r}"


def on_screen(language: str) -> list[re.Pattern[str]]:
    """Return patterns of the words on the screen, in English or in Russian."""
    texts = [
        text for message in MESSAGES for text in (message.texts if language == "en" else message.translations)
    ]
    worded = (text for text in texts if re.search(r"[^\W\d_]{2}", re.sub(PLACEHOLDER, "", text)))
    escaped = (re.sub(r"%\\\(\w+\\\)[sd]", r"\\S+(?: \\S+)?", re.escape(text)) for text in worded)
    return [re.compile(text, re.IGNORECASE) for text in escaped]


@pytest.mark.parametrize(
    ("page", "language"), [("guide/for-moderators.md", "en"), ("ru/guide/for-moderators.md", "ru")]
)
def test_the_moderators_guide_has_the_words_of_the_screen(page: str, language: str) -> None:
    """Words in bold are buttons, tabs and columns, except in the questions at the end."""
    guide = (DOCS / page).read_text(encoding="utf-8").rpartition("\n## ")[0]
    patterns = on_screen(language)
    bold = re.findall(r"\*\*(.+?)\*\*", guide.partition("\n\n")[2], re.DOTALL)
    assert len(bold) > 40
    unknown = {
        words
        for words in (" ".join(found.split()) for found in bold)
        if not any(pattern.fullmatch(words) for pattern in patterns)
    }
    assert not unknown


TEMPLATES = sorted(
    (page, number)
    for page in [*DOCS.rglob("*.md"), DOCS.parent / "README.md"]
    for number, block in enumerate(blocks(page))
    if block.language in ("html", "django") and "{%" in block.text and "neardup_group(" not in block.text
)


@pytest.mark.parametrize(
    ("page", "number"),
    TEMPLATES,
    ids=[f"{page.relative_to(DOCS.parent)}-{number}" for page, number in TEMPLATES],
)
def test_every_template_of_a_page_can_be_compiled(page: Path, number: int) -> None:
    text = blocks(page)[number].text
    try:
        Engine.get_default().from_string("{% load neardup %}" + re.sub(r"\{#.*?#\}\n", "", text))
    except TemplateSyntaxError as error:
        if "must be the first tag" not in str(error):
            raise
        Engine.get_default().from_string(text)
