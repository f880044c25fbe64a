"""Boilerplate: found in the buckets, listed by staff, and what it does to pairs and to nothing else."""

from __future__ import annotations

import io

import pytest
from django.core.management import call_command

from django_neardup.conf import get_profile
from django_neardup.models import Boilerplate, IgnoredPassage, Pair, Scheme
from django_neardup.pipeline.boilerplate_builder import MIN_HOLDERS, find_boilerplate
from django_neardup.pipeline.boilerplate_store import load_boilerplate, newest_boilerplate, update_boilerplate
from django_neardup.pipeline.scheme_cache import clear_cache
from django_neardup.pipeline.stale_pairs import stale_pairs
from tests.pipeline.helpers import SOFA, SOFA_EDITED, document, pair, post, snapshot, work
from tests.testapp.models import Ad, Author

pytestmark = pytest.mark.django_db(transaction=True)

FOOTER = (
    "Магазин «Мастер» работает с 2009 года. Доставка по городу и области в день заказа, самовывоз со склада на улице "
    "Заводской. Гарантия двенадцать месяцев, обмен и возврат в течение двух недель без вопросов. Оплата наличными, "
    "картой или по счёту для организаций. Консультация специалиста бесплатно, скидки постоянным покупателям, большой "
    "выбор расходных материалов и запасных частей. Звоните каждый день с девяти до восьми."
)
GOODS = (
    "Дрель ударная Bosch, два аккумулятора, кейс", "Шуруповёрт Makita, новый, в упаковке",
    "Перфоратор Зубр с набором буров", "Лобзик электрический Интерскол, лёгкий ход",
    "Пила циркулярная Metabo, диск в подарок", "Рубанок электрический, ширина 82 мм",
    "Фрезер вертикальный с цангами", "Болгарка 125 мм, регулировка оборотов", "Гайковёрт пневматический, полдюйма",
    "Краскопульт с верхним бачком", "Компрессор масляный, ресивер 50 л", "Сварочный инвертор 200 А с маской",
    "Генератор бензиновый 3 кВт", "Мотопомпа для грязной воды", "Виброплита с водяным баком",
    "Бетономешалка на 180 литров", "Тепловая пушка газовая", "Лазерный уровень, зелёный луч",
    "Дальномер лазерный до 60 метров", "Стремянка алюминиевая, семь ступеней", "Верстак складной с тисками",
    "Тиски слесарные поворотные", "Набор торцевых головок, 108 предметов", "Домкрат подкатной, 3 тонны",
    "Тележка инструментальная, пять ящиков", "Мойка высокого давления Karcher", "Пылесос строительный с розеткой",
    "Газонокосилка аккумуляторная", "Триммер бензиновый, ранец", "Снегоуборщик самоходный",
)  # fmt: skip


def run(*args, **options):
    out = io.StringIO()
    call_command(*args, stdout=out, no_progress=True, **options)
    return out.getvalue()


def authors(count):
    return [Author.objects.create(name=f"a{number}") for number in range(count)]


def goods(*shops, footer=FOOTER, count=10):
    """Post items under the footer. The shops take turns."""
    return [
        post(f"{item}. {footer}", author=shops[number % len(shops)])
        for number, item in enumerate(GOODS[:count])
    ]


def find():
    """Return the runs of words that would be boilerplate."""
    return find_boilerplate(get_profile(), "default")[0]


def pairs_of(item):
    return [row for row in Pair.objects.all() if document(item).pk in (row.a_id, row.b_id)]


def verdicts():
    return {(row.a_id, row.b_id): (row.verdict, row.doubtful) for row in Pair.objects.all()}


@pytest.mark.parametrize("shop_count", [1, 7])
def test_goods_under_one_footer_are_no_variants_and_a_repost_is_a_duplicate(shop_count):
    shops = authors(shop_count)
    items = goods(*shops, count=30)
    work()
    assert {verdict for verdict, _ in verdicts().values()} >= {"variant"}

    assert "Now in use: boilerplate 1" in run("neardup_statistics", boilerplate=True)
    run("neardup_index", rejudge=True)
    repost = post(f"Продаю дрель ударную Bosch, два аккумулятора и кейс. {FOOTER}", author=shops[0])
    work()
    of_repost = {row.verdict for row in pairs_of(repost)}
    assert pair(items[0], repost).verdict == "duplicate" and of_repost == {"duplicate", "related"}
    assert [row for row in Pair.objects.all() if row.verdict == "variant"] == []
    assert pair(items[0], items[7]).evidence["passages"][-1]["boilerplate"] is True


def test_another_item_in_the_words_beside_the_footer_stays_a_variant():
    (shop,) = authors(1)
    goods(shop)
    one, other = (
        post(f"Дрель ударная Bosch GSB {power}, два аккумулятора, кейс. {FOOTER}", author=shop)
        for power in ("13 RE", "16 RE")
    )
    work()
    run("neardup_statistics", boilerplate=True)
    run("neardup_index", rejudge=True)
    assert pair(one, other).verdict == "variant"


@pytest.mark.engine_alike
@pytest.mark.parametrize("planted", [SOFA, SOFA_EDITED])
def test_planted_copies_by_one_author_change_no_verdict(planted):
    attacker, victim, third = authors(3)
    original = post(SOFA, author=victim)
    other_item = post(SOFA.replace("диван", "шкаф"), author=third)
    for number in range(64):
        post(f"{planted} {'Торг.' * (number % 2)}", author=attacker)
    work()
    last = post(SOFA.replace("диван", "стол"), author=attacker)
    work()
    before = verdicts()
    assert pair(original, last).verdict == pair(other_item, original).verdict == "variant"

    run("neardup_statistics", boilerplate=True)
    run("neardup_index", rejudge=True)
    assert verdicts() == before


@pytest.mark.engine_alike
@pytest.mark.parametrize("author_count", [1, 64])
def test_copies_of_one_text_count_once_whoever_posts_them(author_count):
    people = authors(author_count)
    for number in range(64):
        post(f"{SOFA} {'Торг.' * (number % 2)}", author=people[number % author_count])
    work()
    assert not find()


def test_posts_of_one_author_say_nothing_about_those_of_others():
    shop, stranger = authors(2)
    goods(shop)
    work()
    run("neardup_statistics", boilerplate=True)
    one, other = (
        post(f"{item}. {FOOTER}", author=author)
        for item, author in (("Котёл отопительный чугунный", stranger), ("Камин садовый кованый", shop))
    )
    work()
    assert pair(one, other).verdict == "variant"


@pytest.mark.parametrize("count", [MIN_HOLDERS - 1, MIN_HOLDERS])
def test_it_takes_enough_authors(count):
    for number, author in enumerate(authors(count)):
        post(f"{GOODS[number]}. {FOOTER}", author=author)
    work()
    assert bool(find()) is (count >= MIN_HOLDERS)


def test_anonymous_posts_are_those_of_one_author():
    goods(None)
    work()
    assert not find()


def test_two_changes_and_a_rejudgement_equal_a_fresh_index():
    shops = authors(6)
    goods(shops[0])
    goods(*shops[1:], footer=SOFA)
    work()
    run("neardup_statistics", boilerplate=True)
    run("neardup_index", rejudge=True)
    IgnoredPassage.objects.create(text=FOOTER[:120])
    found = newest_boilerplate("default", "default").found
    update_boilerplate("default", "default", found[: len(found) // 2])
    assert Boilerplate.objects.order_by("-number")[0].number == 3 and stale_pairs("default").exists()
    run("neardup_index", rejudge=True)
    rejudged, names = snapshot(), verdicts()

    run("neardup_index", rebuild=True, restart=True)
    assert snapshot()["pairs"] == rejudged["pairs"] and snapshot()["clusters"] == rejudged["clusters"]
    assert verdicts() == names
    assert set(Pair.objects.values_list("snapshot", flat=True)) == {
        newest_boilerplate("default", "default").digest
    }


def test_a_listed_passage_counts_at_once_and_no_longer_when_it_is_deleted():
    one, other = (post(f"{item}. {FOOTER}", author=author) for item, author in zip(GOODS[:2], authors(2)))
    work()
    assert pair(one, other).verdict == "variant"
    passage = IgnoredPassage.objects.create(text=FOOTER)
    run("neardup_index", rejudge=True)
    assert pair(one, other).verdict == "related"
    passage.delete()
    run("neardup_index", rejudge=True)
    assert pair(one, other).verdict == "variant"


def test_a_passage_of_another_profile_is_not_listed_here():
    one, other = (post(f"{item}. {FOOTER}") for item in GOODS[:2])
    work()
    IgnoredPassage.objects.create(text=FOOTER, profile="elsewhere")
    assert pair(one, other).verdict == "variant" and not stale_pairs("default").exists()


def test_keys_and_fingerprints_do_not_depend_on_it():
    goods(*authors(1))
    work()
    before = snapshot()
    run("neardup_statistics", boilerplate=True)
    Ad.objects.first().save()
    run("neardup_index", restart=True)
    after = snapshot()
    assert (after["keys"], after["fingerprints"]) == (before["keys"], before["fingerprints"])


def test_a_dry_run_lists_passages_and_keeps_nothing():
    goods(*authors(1))
    work()
    said = run("neardup_statistics", boilerplate=True, dry_run=True)
    assert "Profile default: 1 passage is boilerplate." in said and "Магазин «Мастер»" in said
    assert "Nothing was saved" in said
    assert not Boilerplate.objects.exists() and "boilerplate" not in Scheme.objects.get().parameters


def test_the_second_search_changes_nothing():
    goods(*authors(1))
    work()
    run("neardup_statistics", boilerplate=True)
    assert "The boilerplate has not changed." in run("neardup_statistics", boilerplate=True)
    assert Boilerplate.objects.count() == 1


def test_a_lost_snapshot_is_logged_and_counts_again_when_it_is_back(caplog):
    items = goods(*authors(1))
    work()
    run("neardup_statistics", boilerplate=True)
    run("neardup_index", rejudge=True)
    lost = list(Boilerplate.objects.all())
    Boilerplate.objects.all().delete()
    load_boilerplate.cache_clear()
    clear_cache("default")
    items[0].text += " Торг."
    items[0].save()
    work()
    assert "is not in the database" in caplog.text
    assert {row.snapshot for row in pairs_of(items[0])} == {""} and pair(*items[:2]).verdict == "variant"

    Boilerplate.objects.bulk_create(lost)
    run("neardup_index", rejudge=True)
    assert pair(*items[:2]).verdict == "related" and not stale_pairs("default").exists()


def test_old_snapshots_are_deleted():
    shops = authors(1)
    for number in range(4):
        goods(*shops, footer=f"{FOOTER} {'Ждём вас в нашем новом магазине у реки за мостом.' * number}")
        work()
        run("neardup_statistics", boilerplate=True)
    assert Boilerplate.objects.count() <= 3


USUAL = (
    "Продаю стол в хорошем состоянии", "Отдам коляску даром", "Куплю велосипед недорого", "Шкаф", "Диван угловой",
    "Продаю холодильник, работает", "Стул новый", "Комод белый, три ящика",
)  # fmt: skip


@pytest.mark.engine_alike
@pytest.mark.parametrize("form", ["{}. {}", "{}\n{}", "{} {}"])
def test_usual_goods_under_one_footer_are_no_duplicates_before_any_search(form):
    for item in USUAL:
        post(form.format(item, FOOTER))
    work()
    assert {row.verdict for row in Pair.objects.all()} <= {"variant", "related"} and Pair.objects.exists()
    # Without a stop the item and the first words of the footer may be one sentence.
    assert form == "{} {}" or not Pair.objects.filter(verdict="variant", doubtful=False).exists()


def test_a_footer_makes_no_variants_of_posts_with_unequal_identities():
    (shop,) = authors(1)
    items = goods(shop)
    for number, item in enumerate(items):
        item.sku = f"A-{number}"
        item.save()
    work()
    run("neardup_statistics", boilerplate=True)
    run("neardup_index", rejudge=True)
    assert {row.verdict for row in Pair.objects.all()} == {"related"}


@pytest.mark.engine_alike
@pytest.mark.parametrize("copies", [5, 64])
@pytest.mark.parametrize("author_count", [1, 5])
def test_planted_copies_with_another_code_stay_variants(copies, author_count):
    accounts = authors(author_count)
    for number in range(copies):
        post(f"{SOFA} Модель AB-{1000 + 7 * number}.", author=accounts[number % author_count])
    work()
    before = verdicts()
    assert "variant" in {verdict for verdict, _ in before.values()}
    run("neardup_statistics", boilerplate=True)
    run("neardup_index", rejudge=True)
    assert verdicts() == before


@pytest.mark.engine_alike
@pytest.mark.parametrize("copies", [64, pytest.param(200, marks=pytest.mark.long)])
def test_many_copies_of_one_post_hide_no_footer(copies):
    shops = authors(7)
    goods(*shops)
    work()
    before = find()
    for _ in range(copies):
        post(f"Самокат детский трёхколёсный. {FOOTER}", author=shops[0])
    work()
    assert before and find() == before


def test_a_change_of_the_list_during_a_search_is_kept(monkeypatch):
    goods(*authors(1))
    work()

    def found_meanwhile(*args):
        IgnoredPassage.objects.create(text=SOFA)
        return find_boilerplate(*args)

    monkeypatch.setattr("django_neardup.management.boilerplate_run.find_boilerplate", found_meanwhile)
    run("neardup_statistics", boilerplate=True)
    newest = newest_boilerplate("default", "default")
    assert newest.found and newest.listed


def test_statistics_that_are_saved_meanwhile_stay_in_the_scheme():
    post(SOFA)
    work()
    scheme = Scheme.objects.get()
    Scheme.objects.update(parameters={**scheme.parameters, "other": "value"})
    IgnoredPassage.objects.create(text=FOOTER)
    parameters = Scheme.objects.get().parameters
    assert parameters["other"] == "value" and parameters["boilerplate"]


def test_a_list_from_before_the_first_post_counts():
    IgnoredPassage.objects.create(text=FOOTER)
    assert not Boilerplate.objects.exists()
    one, other = (post(f"{item}. {FOOTER}", author=author) for item, author in zip(GOODS, authors(2)))
    work()
    assert pair(one, other).verdict == "related"


@pytest.mark.parametrize("is_read_alike", [True, False])
def test_a_new_generation_keeps_what_it_reads_alike(settings, is_read_alike):
    goods(*authors(1))
    work()
    run("neardup_statistics", boilerplate=True)
    IgnoredPassage.objects.create(text=SOFA)
    before = newest_boilerplate("default", "default")
    if not is_read_alike:
        settings.NEARDUP = {"default": {"LANGUAGE": "uk"}}
    run("neardup_index", rebuild=True)
    after = newest_boilerplate("default", "default")
    assert after.listed and list(after.found) == (list(before.found) if is_read_alike else [])
    assert Scheme.objects.get(state="active").parameters["boilerplate"] == after.digest


def test_the_search_on_an_empty_database_stores_nothing():
    assert "0 passages" in run("neardup_statistics", boilerplate=True, dry_run=True)
    assert not Scheme.objects.exists() and not Boilerplate.objects.exists()
