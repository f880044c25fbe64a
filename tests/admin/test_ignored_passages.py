"""Passages to ignore: written by staff, with a preview of what they would change."""

import pytest
from django.core.management import call_command
from django.urls import reverse

from django_neardup.models import Boilerplate, IgnoredPassage, Pair, Scheme
from tests.admin.tools import list_of, page_of, told
from tests.pipeline.helpers import SOFA, pair, post, work

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.engine_alike]

ADD = "admin:neardup_ignoredpassage_add"
PREVIEW = "admin:neardup_ignoredpassage_preview"
FOOTER = (
    "Доставка по городу и области в день заказа, самовывоз со склада на улице Заводской. Гарантия двенадцать месяцев, "
    "обмен и возврат в течение двух недель без вопросов, оплата наличными или картой."
)


@pytest.fixture
def items():
    drill, saw, board = (
        post(f"{item}. {FOOTER}", title=item)
        for item in ("Дрель ударная в кейсе", "Пила циркулярная Metabo", "Доска строганая сухая")
    )
    work()
    assert {row.verdict for row in Pair.objects.all()} == {"variant"}
    return drill, saw, board


def rejudge():
    call_command("neardup_index", rejudge=True, no_progress=True, verbosity=0)


def test_a_passage_is_written_and_counts_at_once(root, items):
    answer = root.post(reverse(ADD), {"text": f"  {FOOTER}\n", "profile": "", "note": "магазин"})
    made = IgnoredPassage.objects.get()
    assert (made.text, made.profile, made.note, made.by_name) == (FOOTER, "", "магазин", "root")
    assert any("--rejudge" in each for each in told(answer))
    assert Scheme.objects.get().parameters["boilerplate"] == Boilerplate.objects.get().digest
    rejudge()
    assert {row.verdict for row in Pair.objects.all()} == {"related"}


def test_it_is_changed_and_deleted(root, items):
    passage = IgnoredPassage.objects.create(text=FOOTER)
    root.post(page_of(passage), {"text": SOFA, "profile": "default", "note": ""})
    rejudge()
    assert pair(*items[:2]).verdict == "variant"
    root.post(page_of(passage), {"text": FOOTER, "profile": "default", "note": ""})
    rejudge()
    assert pair(*items[:2]).verdict == "related"
    root.post(
        list_of(IgnoredPassage), {"action": "delete_selected", "_selected_action": passage.pk, "post": "yes"}
    )
    assert not IgnoredPassage.objects.exists()
    rejudge()
    assert pair(*items[:2]).verdict == "variant"


@pytest.mark.parametrize(
    ("text", "profile"), [("", ""), ("!!! …", ""), ("пять слов это слишком мало", ""), (SOFA, "x")]
)
@pytest.mark.parametrize("address", [ADD, f"{PREVIEW}_new"])
def test_what_cannot_be_found_is_neither_written_nor_previewed(root, items, address, text, profile):
    answer = root.post(reverse(address), {"text": text, "profile": profile})
    form = answer.context["form"] if address != ADD else answer.context["adminform"].form
    assert answer.status_code == 200 and form.errors
    assert not IgnoredPassage.objects.exists()


def test_the_preview_says_what_would_change_and_stores_nothing(root, items):
    before = list(Pair.objects.values())
    answer = root.post(reverse(f"{PREVIEW}_new"), {"text": FOOTER, "profile": ""})
    preview = answer.context["preview"]
    assert (preview.total, preview.examined, preview.holding, len(preview.changed)) == (2, 2, 2, 2)
    page = answer.content.decode()
    assert "Дрель ударная в кейсе – Пила циркулярная Metabo" in page and "Save the passage" in page
    assert list(Pair.objects.values()) == before
    assert not IgnoredPassage.objects.exists() and not Boilerplate.objects.exists()


@pytest.mark.parametrize("text", [SOFA, "Гарантия двенадцать месяцев, обмен и возврат в течение"])
def test_the_preview_of_a_passage_that_changes_nothing(root, items, text):
    preview = root.post(reverse(f"{PREVIEW}_new"), {"text": text, "profile": "default"}).context["preview"]
    assert (preview.holding, preview.changed) == (2 if text != SOFA else 0, [])


def test_the_preview_of_a_change_leaves_the_former_words_out(root, items):
    passage = IgnoredPassage.objects.create(text=FOOTER)
    answer = root.post(reverse(PREVIEW, args=[passage.pk]), {"text": SOFA, "profile": ""})
    assert answer.context["preview"].changed == []
    assert f'action="{page_of(passage)}"' in answer.content.decode()


def test_the_form_leads_to_the_preview(root):
    assert reverse(f"{PREVIEW}_new") in root.get(reverse(ADD)).content.decode()
    passage = IgnoredPassage.objects.create(text=FOOTER)
    assert reverse(PREVIEW, args=[passage.pk]) in root.get(page_of(passage)).content.decode()


def test_a_reviewer_reads_the_list_and_may_not_preview(person, items):
    client = person("neardup.review")
    passage = IgnoredPassage.objects.create(text=FOOTER)
    assert FOOTER[:40] in client.get(list_of(IgnoredPassage)).content.decode()
    assert "Preview the effect" not in client.get(page_of(passage)).content.decode()
    for address in (reverse(PREVIEW, args=[passage.pk]), reverse(f"{PREVIEW}_new")):
        assert client.post(address, {"text": FOOTER, "profile": ""}).status_code == 403
