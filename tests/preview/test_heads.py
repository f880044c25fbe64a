"""neardup_preview proposes heads where first lines look like titles."""

from __future__ import annotations

import io

import pytest
from django.core.management import call_command

from django_neardup.adapters import Adapter
from django_neardup.algorithms import Judgement
from django_neardup.algorithms.default.neardup import NearDup
from django_neardup.preview import as_html, build_preview, build_selection
from django_neardup.preview.head_proposal import has_title_line
from tests.pipeline.families import family
from tests.pipeline.helpers import SOFA
from tests.testapp.models import Ad
from tests.testapp.neardup import AdNeardup

pytestmark = pytest.mark.django_db


class HeadsDecide(NearDup):
    """Candidates are duplicates, unless the words of their heads differ."""

    name = "heads-decide"

    def compare(self, a, b):
        same = a.hashes[: a.head_end] == b.hashes[: b.head_end]
        return Judgement("duplicate" if same else "variant", 1.0)


@pytest.fixture(autouse=True)
def heads_decide(settings):
    settings.NEARDUP = {"default": {"ALGORITHM": f"{__name__}.HeadsDecide"}}


@pytest.fixture
def undecided(monkeypatch):
    """The site has not decided about heads."""
    monkeypatch.delattr(AdNeardup, "heads")


def posts(titles, texts=(SOFA,)):
    return Ad.objects.bulk_create([Ad(title=title, text=text) for text in texts for title in titles])


def titled_board():
    """Twelve posts in two groups. Of each group, two have another title than its first post."""
    posts(["Диван", "диван", "«ДИВАН»", "Шкаф", "Кровать"])
    posts(["Кресло", "Стол"] + ["Кресло"] * 4 + ["Стул"], [" ".join(family(1))])


def look(*fields, **options):
    return build_preview(build_selection("testapp.Ad", fields, **options))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Водитель погрузчика\nРабота в тёплом цехе", True),
        ("ГАЗ-3302, 2012\r\nПродаю машину в хорошем состоянии", True),
        ("Водитель погрузчика.\nРабота в тёплом цехе", False),
        ("Ищем водителя. Срочно\nРабота в тёплом цехе у дома", False),
        ("Здравствуйте,\nищем водителя погрузчика", False),
        ("Ищем водителя погрузчика на склад\nСрочно", False),
        (f"{'слово ' * 13}\n{'слово ' * 20}", False),
        (f"{'слово ' * 12}\n{'слово ' * 20}", True),
        ("\nРабота в тёплом цехе", False),
        ("Работа в тёплом цехе", False),
        ("", False),
    ],
)
def test_a_title_is_short_and_ends_no_sentence(text, expected):
    assert has_title_line(text) is expected


def test_the_first_field_is_proposed(undecided):
    titled_board()
    proposal = look().head_proposal
    assert (proposal.code, proposal.titled_share) == ('    heads = ["title"]\n', 1)


def test_lines_of_one_field_get_a_method(undecided):
    posts([""] * 12, [f"Диван угловой\n{SOFA}"])
    proposal = look("text").head_proposal
    assert "def head(self, instance)" in proposal.code
    body = {}
    exec("class Written:\n" + proposal.code, body)
    written = type("Written", (body["Written"], Adapter), {"fields": ["text"]})(Ad)
    source = written.source(Ad.objects.first(), compared=True, live=True)
    assert source.text[: source.head] == "Диван угловой"


def test_what_heads_would_change_is_counted(undecided, monkeypatch):
    titled_board()
    proposal = look().head_proposal
    assert (proposal.retitled_count, proposal.changed_count) == (4, 4)
    monkeypatch.setattr(HeadsDecide, "compare", lambda self, a, b: Judgement("duplicate", 1.0))
    proposal = look().head_proposal
    assert (proposal.retitled_count, proposal.changed_count) == (4, 0)


def test_few_titles_are_no_reason(undecided):
    posts(["Диван"] * 7 + [""] * 3)
    assert look().head_proposal is None
    posts(["Диван"] * 5)
    assert look().head_proposal.titled_share == pytest.approx(12 / 15)


def test_few_posts_are_no_reason(undecided):
    posts(["Диван"] * 9)
    assert look().head_proposal is None


@pytest.mark.parametrize(
    "attributes", [{"heads": []}, {"heads": ["title"]}, {"head": lambda self, ad: ad.title}]
)
def test_a_site_that_has_decided_gets_no_proposal(undecided, attributes, monkeypatch):
    for name, value in attributes.items():
        monkeypatch.setattr(AdNeardup, name, value, raising=False)
    titled_board()
    assert look().head_proposal is None


def test_other_fields_keep_declared_heads_only_if_they_begin_with_them(monkeypatch):
    monkeypatch.setattr(AdNeardup, "heads", ["title"])
    ad = Ad(title="Диван", text=SOFA)

    def head(*fields):
        return build_selection("testapp.Ad", fields).adapter.source(ad, compared=True, live=True).head

    assert (head(), head("title", "text"), head("text"), head("text", "title")) == (5, 5, 0, 0)


def test_the_page_and_the_command_say_so(undecided, tmp_path):
    titled_board()
    page = as_html(look(), language="en")
    assert 'id="heads"' in page and "heads = [&quot;title&quot;]" in page
    assert "The first lines of 100\xa0% of the posts look like titles" in page
    assert "another title than the first post of their group: 4." in page
    out = io.StringIO()
    options = {"output": str(tmp_path / "page.html"), "no_progress": True, "stdout": out}
    call_command("neardup_preview", model="testapp.Ad", **options)
    assert "100% of the first lines look like titles" in out.getvalue()


def test_without_a_proposal_nothing_is_said():
    titled_board()
    assert 'id="heads"' not in as_html(look(), language="en")
