"""The report on a terminal, as a page, as JSON."""

import json
import re
from html import unescape
from html.parser import HTMLParser

import pytest

from django_neardup.algorithms import algorithm_names, get_algorithm
from django_neardup.reports import Note, as_dict, as_html, as_json, as_text
from django_neardup.reports.messages import HEADINGS, NOTE_TEXTS
from django_neardup.reports.terminal_text import Fragment, display_width, wrap_fragments
from tests.reports.texts import OTHER_PILES, PILES, POEM, compared

SCRIPT = """Продам <script>alert("диван")</script> &lt;script&gt;alert(1)&lt;/script&gt;
"><img src=x onerror=alert(2)> '&lt;img src=y onerror=alert(3)&gt; новый"""


@pytest.fixture(scope="module")
def piles():
    return compared(PILES, OTHER_PILES, algorithms=algorithm_names(), titles=("board.Ad 17", "board.Ad 18"))


def lines(it, **options):
    return as_text(it, **options).splitlines()


def test_the_terminal_says_what_it_is_about_first(piles):
    told = lines(piles)
    assert told[:2] == ["A  board.Ad 17, words: 61", "B  board.Ad 18, words: 59"]
    assert told[3].startswith("≠  variant, ") and "describe two items" in " ".join(told[3:5])
    assert "by neardup; sure; code" in told[4] + told[5]


def test_the_terminal_lists_differences_by_what_they_say(piles):
    told = lines(piles)
    decides, idle = told.index("  decisive: another item"), told.index("  not decisive")
    assert re.search(r"code +С140.35-10 составные\xa0→ С90.30-8 цельные ×2", "\n".join(told[decides:idle]))
    assert re.search(r"price +18\xa0?900 ₽|price +18 900 ₽", "\n".join(told[idle:]))


def test_the_terminal_marks_texts_without_colours(piles):
    told = " ".join(" ".join(lines(piles)).split())
    assert "‹1\xa0Сваи железобетонные [≠\xa0code: С140.35-10 составные], с доставкой" in told or (
        "‹1 Сваи железобетонные [≠ code: С140.35-10 составные], с доставкой" in told
    )
    assert "[svai@example.ru]" in told


def test_the_terminal_lists_every_algorithm(piles):
    told = lines(piles)
    rows = told[told.index("By every algorithm") + 1 :]
    for row in piles.algorithm_results:
        assert [line for line in rows if line.split()[:1] == [row.name]]
    told = " ".join(" ".join(rows).split())
    assert HEADINGS["statistics"] in told and HEADINGS["batch"] in told
    assert "neardup_statistics" not in told


@pytest.mark.parametrize("report", [as_text, as_html])
def test_a_command_that_gathers_statistics_is_named(report):
    it = compared(POEM, POEM, algorithms=["tf-idf"], gather_command="neardup_statistics --profile ads")
    told = "needs the statistics of a collection: run neardup_statistics --profile ads"
    assert told in " ".join(report(it).split())


@pytest.mark.parametrize("width", [40, 57, 80, 120])
def test_no_line_is_wider_than_the_terminal(piles, width):
    it = compared(PILES + " " + "Щ" * 300, OTHER_PILES + " 日本語のとても長い文章" * 40, algorithms=("md5",))
    for each in (piles, it):
        assert max(map(display_width, lines(each, width=width))) <= width


def test_colours_change_no_letter(piles):
    coloured = as_text(piles, use_colours=True)
    assert "\x1b[1;35m" in coloured and re.sub(r"\x1b\[[\d;]*m", "", coloured) == as_text(piles)
    assert "\x1b" not in as_text(piles)


@pytest.mark.parametrize("report", [as_text, as_html, as_json])
def test_texts_cannot_steer_the_terminal(report):
    it = compared(
        "Продам диван \x1b[2J\x1b]0;title\x07 новый \u202eтекст \x9b2J \u061c \u206a \u2028 \U000e0041",
        POEM,
        titles=("a\x1b[31m\u2069.txt", "b\x85"),
    )
    assert not re.search("[\0-\x09\x0b-\x1f\x7f-\x9f\u061c\u2028-\u202e\u2066-\u206f\U000e0041]", report(it))


@pytest.mark.parametrize("report", [as_text, as_html])
def test_equal_words_in_another_order_are_not_the_same_text(report):
    first, second = "Продам угловой диван новый.", "Отдам котёнка в хорошие руки даром."
    moved = compared(f"{first} {second}", f"{second} {first}")
    assert not moved.judgement.differences and HEADINGS["order"] in report(moved)
    assert HEADINGS["order"] not in report(compared(POEM, POEM.upper()))


@pytest.mark.parametrize("excused", [("price", "date", "contact"), ("number",), ()])
def test_the_legend_says_what_does_not_decide_here(excused):
    algorithm = get_algorithm("neardup", ignored_differences=excused)
    page = as_html(compared(PILES, OTHER_PILES, algorithm=algorithm))
    legend = page[page.index('<section class="legend">') :]
    decides, idle = re.findall(r"<dd>(.*?)</dd>", legend)[:2]
    for kind in ("code", "number", "measure", "negation", "price", "date", "contact"):
        assert (f'"{kind}"' in idle, f'"decides {kind}"' in decides) == (kind in excused, kind not in excused)


def test_the_legend_of_an_algorithm_without_a_guard_has_nothing_that_decides():
    page = as_html(compared(PILES, OTHER_PILES, algorithm=get_algorithm("md5")))
    assert HEADINGS["decides"] not in page and "decides code" not in page and '<mark class="code">' in page


def test_decimals_are_written_as_the_language_does():
    it = compared(" ".join(f"слово{number}" for number in range(400)), POEM)
    assert "(slope 0.00, distance 0.00)" in " ".join(as_text(it).split())
    other = as_text(it, translate=lambda text, context="": "," if text == "." else text)
    assert "(slope 0,00, distance 0,00)" in " ".join(other.split())


def test_many_differences_are_counted():
    it = compared(*(" ".join(f"Деталь {first}{n} в наличии." for n in range(100, 160)) for first in "AB"))
    assert len(it.judgement.differences) > 40
    told = lines(it)
    assert f"    not shown: {len(it.judgement.differences) - 40}" in told


def test_long_texts_are_shown_by_their_passages():
    shared = " ".join(f"слово{number} общее{number}" for number in range(800))
    it = compared(f"{shared} Цена 5000 рублей", f"{shared} Цена 6000 рублей")
    told = as_text(it)
    assert "……" in told and "слово400" not in told and "[5000 рублей]" in told and len(told) < 4000


def test_words_are_wrapped_where_they_end():
    fragments = [Fragment("один два"), Fragment("[три]", "idle"), Fragment(", четыре\n\nпять")]
    assert ["".join(text for text, _ in line) for line in wrap_fragments(fragments, 13)] == [
        "один", "два[три],", "четыре", "пять",
    ]  # fmt: skip


def test_the_report_speaks_the_language_it_is_given(piles):
    told = as_text(piles, translate=lambda text, context="": f"«{context[:4]}{text}»")
    assert "\n«Differences»\n" in told and "«diffcode»" in told and "«duplicate»" in told


class Outline(HTMLParser):
    """Elements of a page and what stands in its texts."""

    VOID = ("meta", "br")

    def __init__(self, page):
        super().__init__()
        self.open, self.elements, self.texts = [], [], []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "article" in self.open and "mark" not in self.open:
            self.texts.append(data)

    def all(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]


def test_what_texts_hold_is_escaped_first():
    page = as_html(compared(SCRIPT, SCRIPT.replace("новый", "старый"), titles=("<i>a</i>", '"b"')))
    outline = Outline(page)
    assert not {"script", "img"} & {name for name, _ in outline.elements}
    assert page.count("&lt;script&gt;") >= 2 and "<i>a</i>" not in page


def test_the_page_loads_and_runs_nothing(piles):
    outline = Outline(as_html(piles))
    attributes = {name for _, found in outline.elements for name in found}
    assert not [name for name in attributes if name.startswith("on")] and not {"src", "style"} & attributes
    assert {"script", "link", "iframe", "object"}.isdisjoint(name for name, _ in outline.elements)
    assert "url(" not in as_html(piles) and "@import" not in as_html(piles)
    assert any(each.get("content", "").startswith("default-src 'none'") for each in outline.all("meta"))


def test_the_page_marks_by_class_and_numbers_passages(piles):
    outline = Outline(as_html(piles))
    classes = {each["class"] for each in outline.all("mark")}
    assert {"decides code", "decides measure", "decides number", "price", "contact", "only"} <= classes
    places = {each["id"] for each in outline.all("span") if "id" in each}
    links = {each["href"] for each in outline.all("a")}
    assert places == {f"{side}{number}" for side in "AB" for number in (1, 2, 3, 4)}
    assert links == {f"#{place}" for place in places}


def test_the_page_names_its_language():
    it = compared(POEM, POEM)
    assert '<html lang="ru">' in as_html(it, language="ru") and '<html lang="en">' in as_html(it)


def test_the_json_keeps_its_keys(piles):
    made = json.loads(as_json(piles))
    assert made == json.loads(json.dumps(as_dict(piles)))
    assert list(made) == [
        "a", "b", "algorithm", "verdict", "score", "percent", "exact", "certainty", "classes", "containment_a",
        "containment_b", "differences", "passages", "shared", "contacts", "names", "codes", "algorithms", "notes",
    ]  # fmt: skip
    assert list(made["a"]) == [
        "title", "text", "language", "words", "content_words", "sentences", "too_long", "zipf",
    ]  # fmt: skip
    assert list(made["algorithms"][0]) == [
        "name", "score", "percent", "verdict", "shared_keys", "keys_a", "keys_b", "min_shared", "missing",
    ]  # fmt: skip
    assert list(made["differences"][0]) == ["kind", "decides", "rule", "a", "b"]
    assert list(made["contacts"]) == ["equal", "only_a", "only_b"]


def test_the_json_points_into_the_texts(piles):
    made = json.loads(as_json(piles))
    for side in "ab":
        for each in made["differences"]:
            start, end = each[side]["span"]
            assert " ".join(made[side]["text"][start:end].split()) == each[side]["text"]
    start, end = made["shared"][1]["a"]
    assert made["a"]["text"][start:end].startswith("Бетон В25")


def test_lone_surrogates_can_be_written():
    text = "диван \ud800 новый \x9b2J \u202e \x7f \U000e0041"
    made = as_json(compared(text, POEM))
    assert made.encode() and "диван" in made and json.loads(made)["a"]["text"] == text
    ascii_only = as_json(compared(text, POEM), ascii_only=True)
    assert ascii_only.isascii() and json.loads(ascii_only) == json.loads(made)


@pytest.mark.parametrize("report", [as_text, as_html])
@pytest.mark.parametrize("kind", NOTE_TEXTS)
def test_notes_are_told(report, kind):
    it = compared(POEM, POEM, notes=[Note(kind, "A")])
    assert NOTE_TEXTS[kind] % {"side": "A"} in unescape(" ".join(report(it).split()))
