"""The site of the documentation: Sphinx reads the pages as they are. `make docs` builds it in both languages.

The pages are plain Markdown, so they can be read in a repository too. What a site needs besides is added
here: the contents are the links of the index pages, and each page links to its other language.
"""

import re
from pathlib import Path

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
RUSSIAN = tags.has("russian")  # noqa: F821  # Sphinx gives "tags" to this file.
PROJECT_PAGES = ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "example_project/README.md")
"""Pages outside of this folder that the documentation links to."""

project = "django-neardup"
author = "The django-neardup contributors"
version = re.search(r'__version__ = "(.+)"', (ROOT / "django_neardup" / "__init__.py").read_text())[1]
extensions = ["myst_parser"]
root_doc = "docs/ru/index" if RUSSIAN else "docs/index"
include_patterns = ["docs/**.md", *PROJECT_PAGES]
exclude_patterns = [
    *(path.name for path in ROOT.iterdir() if path.is_dir() and path.name not in ("docs", "example_project")),
    *([] if RUSSIAN else ["docs/ru"]),
]
myst_heading_anchors = 4
html_theme = "furo"
html_title = f"django-neardup {version}"
locale_dirs = [str(DOCS / "locale")]
templates_path = ["_templates"]
html_static_path = ["_static"]
html_favicon = "_static/favicon.svg"
html_css_files = ["site.css"]
html_js_files = ["scrolling.js"]
html_sidebars = {
    "**": [
        "sidebar/brand.html",
        "sidebar/search.html",
        "sidebar/language.html",
        "sidebar/scroll-start.html",
        "sidebar/navigation.html",
        "sidebar/scroll-end.html",
    ]
}
html_additional_pages = {"index": "redirect.html"}
html_context = {"root_doc": root_doc}
html_show_sphinx = False
html_show_copyright = False
html_copy_source = False
html_use_index = False
linkcheck_ignore = [r"http://(127\.0\.0\.1|localhost)[:/]"]


def contents(index, text):
    """Return the tables of contents of an index page: the pages that it links to, by its headings."""
    parts = re.split(r"^## (.+)$", text, flags=re.MULTILINE)
    for caption, section in zip(parts[1::2], parts[2::2]):
        pages = []
        for link in re.findall(r"\]\(([\w./-]+\.md)\)", section):
            page = (index.parent / link).resolve()
            if page != index and page not in pages and belongs_to(page, index):
                pages.append(page)
        if pages:
            lines = [f"/{page.relative_to(ROOT).as_posix().removesuffix('.md')}" for page in pages]
            yield "\n".join(["```{toctree}", ":hidden:", f":caption: {caption}", "", *lines, "```"])


def belongs_to(page, index):
    """Return whether a page stands in the contents of an index: each page in those of the nearest one."""
    nearest = page.parent / "index.md"
    if page.name == "index.md":
        nearest = page.parent.parent / "index.md"
    return not nearest.exists() or nearest == index


def add_contents(app, docname, content):
    page = ROOT / f"{docname}.md"
    if page.name == "index.md":
        content[0] += "\n\n" + "\n\n".join(contents(page, content[0])) + "\n"
    if docname == root_doc:
        lines = [f"/{name.removesuffix('.md')}" for name in PROJECT_PAGES]
        content[0] += "\n".join(["\n```{toctree}", ":hidden:", *lines, "```\n"])


def add_language(app, pagename, templatename, context, doctree):
    """Link a page to its other language: to the same page if there is one, or to the first page."""
    inner = pagename.removeprefix("docs/ru/" if RUSSIAN else "docs/")
    home = context["pathto"]("", 1).rstrip("/") or "."
    if RUSSIAN:
        name = f"docs/{inner}" if (DOCS / f"{inner}.md").exists() else "docs/index"
        context["other_language"] = {"name": "English", "code": "en", "url": f"{home}/../{name}.html"}
    else:
        name = f"docs/ru/{inner}" if (DOCS / "ru" / f"{inner}.md").exists() else "docs/ru/index"
        context["other_language"] = {"name": "Русский", "code": "ru", "url": f"{home}/ru/{name}.html"}


def mark_english(app, pagename, templatename, context, doctree):
    """Say that a page without a translation is English."""
    if RUSSIAN and not pagename.startswith("docs/ru/") and "body" in context:
        context["body"] = context["body"].replace("<section ", '<section lang="en" ', 1)


def setup(app):
    app.connect("source-read", add_contents)
    app.connect("html-page-context", mark_english)
    app.connect("html-page-context", add_language)
