"""The moderators' pages under the theme of the environment, looked at and clicked through in Chromium."""

import os

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from django.urls import reverse

from django_neardup.admin.decision_groups import build_item_key
from django_neardup.models import Cluster, MergeRecord, Pair
from django_neardup.pipeline import drain
from tests.browser import rules
from tests.browser.chromium import chromium, programs
from tests.services import MissingServiceError
from tests.sites.themes_site.models import Advert, Comment

pytestmark = pytest.mark.django_db(transaction=True)
TEXT = (
    "Cast iron sauna stove, fired for one winter, all walls are whole, a glass door. It heats twelve cubic metres "
    "in an hour. Model PB-{}, with a water tank and a chimney. To be collected in Sysert."
)
ADVERTS = "admin:themes_site_advert_changelist"
QUEUE = "admin:neardup_queue_changelist"
CONFIRM = ".neardup-bar button.neardup-first"
TICKED = "input[name=_selected_action]"
NAVIGATION = "a[href='/admin/']"
RUN_ACTION = "button[name=index]"
CHOOSE_ACTION = """
    const select = document.querySelector('select[name=action]');
    select.value = arguments[0];
    select.dispatchEvent(new Event('change', { bubbles: true }));
"""

STATUS = "return performance.getEntriesByType('navigation')[0].responseStatus"
NARROW = """
    return [...document.querySelectorAll('.neardup-button, .neardup-pager a')].filter(button => {
        const height = button.getBoundingClientRect().height;
        return height && (height < 24 || button.scrollWidth > button.clientWidth
            || button.scrollHeight > button.clientHeight);
    }).map(button => button.outerHTML);
"""
"""Buttons that are too low, or too small for their text."""
SHOWN = """
    return [...document.querySelectorAll('.neardup-aside')].filter(text => {
        const box = text.getBoundingClientRect();
        return box.width > 1 || box.height > 1;
    }).map(text => text.outerHTML);
"""
"""Text for screen readers that is visible."""
NEXT_FRAME = "requestAnimationFrame(() => requestAnimationFrame(arguments[0]))"
"""Jazzmin changes its layout by transitions, though they take no time without motion."""
FAINT = """
    const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    const paint = colours => {
        context.clearRect(0, 0, 1, 1);
        for (const colour of colours) {
            context.fillStyle = colour;
            context.fillRect(0, 0, 1, 1);
        }
        const parts = [...context.getImageData(0, 0, 1, 1).data].slice(0, 3).map(part => part / 255)
            .map(part => part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
    };
    return [...document.querySelectorAll('.neardup *')].filter(element => element.checkVisibility()
        && [...element.childNodes].some(node => node.nodeType === 3 && node.data.trim())
        && !element.closest('.neardup-aside')).filter(element => {
            const under = [];
            for (let around = element; around; around = around.parentElement) {
                under.unshift(getComputedStyle(around).backgroundColor);
            }
            const ground = ['Canvas', ...under];
            const lights = [paint(ground), paint([...ground, getComputedStyle(element).color])];
            const [dark, light] = lights.sort((one, two) => one - two);
            return (light + 0.05) / (dark + 0.05) < 3;
        }).map(element => element.outerHTML);
"""
"""Text that can hardly be read. The quiet colours of Grappelli have less than the 4.5 that our own colours have."""
OVERLAPPING = """
    const texts = [];
    const walker = document.createTreeWalker(document.querySelector('.neardup'), NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const [node, range] = [walker.currentNode, document.createRange()];
        const parent = node.parentElement;
        // The bar lies over the page on purpose. The head of a table without columns is for screen readers.
        const apart = parent.closest('.neardup-aside, .neardup-bar')
            || getComputedStyle(parent.closest('thead') || parent).clipPath !== 'none';
        if (node.data.trim() && !apart && parent.checkVisibility()) {
            range.selectNodeContents(node);
            texts.push(...[...range.getClientRects()].filter(box => box.width > 2).map(box => [node, box]));
        }
    }
    const over = (one, two) => Math.min(one.right, two.right) - Math.max(one.left, two.left) > 2
        && Math.min(one.bottom, two.bottom) - Math.max(one.top, two.top) > 4;
    return texts.flatMap(([node, box], number) => texts.slice(number + 1)
        .filter(([other, place]) => other !== node && over(box, place))
        .map(([other]) => `${node.data.trim()} / ${other.data.trim()}`));
"""
"""Pairs of texts of which one lies on the other."""


@pytest.fixture(scope="module")
def browser():
    try:
        programs()
    except MissingServiceError as missing:
        if os.environ.get("REQUIRE_SERVICES") == "1":
            pytest.fail(str(missing))
        pytest.skip(str(missing))
    with chromium() as window:
        yield window


@pytest.fixture(params=["en", "ru"])
def window(browser, live_server, request):
    """A window of a superuser on a site with a group of three adverts and a pair of two."""
    moderator = get_user_model().objects.create_superuser("moderator")
    for title, model in [("Stove", "18"), ("Stove", "18"), ("Stove, once more", "18"), ("Stove", "24")]:
        advert = Advert.objects.create(title=title, text=TEXT.format(model), city="Perm", author=moderator)
        Comment.objects.create(advert=advert, text=f"A question on {advert.pk}")
    Advert.objects.filter(pk=advert.pk - 1).update(city="Sysert")
    drain()
    client = Client()
    client.force_login(moderator)
    browser.address = live_server.url
    browser.become(client.cookies["sessionid"].value, request.param)
    browser.complaints()
    yield browser
    assert browser.complaints() == []


def flaws(window):
    """What is wrong with the page of ours in the window."""
    assert window.run(STATUS) == 200
    assert window.all(NAVIGATION)
    found = rules.small(window)
    for scheme in rules.SCHEMES:
        found += [flaw for flaw in rules.unfit(window, scheme, ".neardup") if "color-contrast" not in flaw]
        found += [f"{scheme}: {flaw}" for flaw in window.run(FAINT)]
    window.scheme("light")
    for width in rules.WIDTHS:
        window.size(width)
        window.driver.execute_async_script(NEXT_FRAME)
        found += [
            f"{width}: {flaw}" for script in (NARROW, SHOWN, OVERLAPPING) for flaw in window.run(script)
        ]
        if over := window.run(rules.BESIDE):
            found.append(f"{over} px too wide at {width}")
    return found


def open_page(window, name, *arguments):
    window.open(reverse(name, args=arguments))


def test_the_pages_before_a_decision(window):
    cluster, pair = Cluster.objects.get(), Pair.objects.filter(verdict="variant").first()

    open_page(window, QUEUE)
    assert flaws(window) == []
    open_page(window, "admin:neardup_cluster_change", cluster.pk)
    assert flaws(window) == []
    open_page(window, "admin:neardup_pair_change", pair.pk)
    assert flaws(window) == []
    window.open(f"{reverse('admin:neardup_queue_decide', args=['merge'])}?id={build_item_key(cluster)}")
    assert flaws(window) == []


@pytest.mark.parametrize("name", ["cluster", "decision", "document", "mergerecord", "pair"])
def test_a_list_opens(window, name):
    open_page(window, f"admin:neardup_{name}_changelist")
    assert window.run(STATUS) == 200
    assert window.all(NAVIGATION)


def test_from_the_list_to_the_undo(window):
    open_page(window, ADVERTS)
    assert window.run(STATUS) == 200
    for box in window.all(TICKED):
        box.click()
    window.run(CHOOSE_ACTION, "neardup_merge")
    window.click(RUN_ACTION)

    assert flaws(window) == []
    window.click(CONFIRM)
    assert Advert.objects.count() < 4
    record = MergeRecord.objects.first()

    open_page(window, "admin:neardup_mergerecord_changelist")
    window.click(f"a[href*='/mergerecord/{record.pk}/']")
    assert flaws(window) == []
    window.click(".neardup-bar .neardup-first")
    assert flaws(window) == []
    for box in window.all("input[name=record]:not(:checked)"):
        box.click()
    window.click(CONFIRM)

    assert flaws(window) == []
    assert Advert.objects.count() == 4
    assert Comment.objects.values("advert").distinct().count() == 4
