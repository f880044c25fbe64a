"""``neardup_index --rejudge``: stored pairs are judged again, and nothing else is done."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from itertools import combinations

import pytest
from django.core.management import CommandError, call_command
from django.db.models import Q
from django.utils import translation

from django_neardup.admin.reopened_pairs import find_reopened_pairs
from django_neardup.algorithms.base import Judgement
from django_neardup.algorithms.default.neardup import NearDup
from django_neardup.judge.differences import Difference
from django_neardup.judge.version import JUDGE_VERSION
from django_neardup.models import Cluster, Decision, Document, IgnoredPassage, Membership, Pair, Scheme, Space
from django_neardup.pipeline import decide, rejudgement
from django_neardup.pipeline.rejudgement import rejudge
from django_neardup.pipeline.stale_pairs import stale_pairs
from django_neardup.text.canonical_text import CanonicalText
from tests.pipeline.helpers import CAT, SOFA, cluster, document, pair, post, snapshot, work
from tests.testapp.models import Ad, Topic

pytestmark = pytest.mark.django_db(transaction=True)

OWN_WORDS = ("альфа", "бета", "гамма", "дельта", "эпсилон")
DECISIVE = Difference("name", (0, 1), (0, 1), True, (0, 5), (0, 5), "красный", "синий")


def duplicate(a: str, b: str) -> Judgement:
    return Judgement("duplicate", 0.9)


def variant(a: str, b: str) -> Judgement:
    return Judgement("variant", 0.9, differences=(DECISIVE,), classes=("name",))


def maybe_variant(a: str, b: str) -> Judgement:
    return Judgement("variant", 0.9, differences=(DECISIVE,), classes=("name",), doubtful=True)


def none(a: str, b: str) -> Judgement:
    return Judgement("none", 0.1)


class JudgeOfTests(NearDup):
    """An algorithm that judges by a function of the two raw texts."""

    name = "judge-of-tests"
    present: Callable[[str, str], Judgement] = staticmethod(duplicate)
    signed: int = 0

    def judge(self, a: CanonicalText, b: CanonicalText) -> Judgement:
        return type(self).present(a.raw, b.raw)

    def sign_batch(self, batch):
        type(self).signed += len(batch)
        return super().sign_batch(batch)

    def keys(self, text):
        type(self).signed += 1
        return super().keys(text)


@pytest.fixture(autouse=True)
def judge(settings) -> Iterator[type[JudgeOfTests]]:
    settings.NEARDUP = {"default": {"BACKEND": None, "ALGORITHM": f"{__name__}.JudgeOfTests"}}
    JudgeOfTests.present = staticmethod(duplicate)
    yield JudgeOfTests
    JudgeOfTests.present = staticmethod(duplicate)


def posts(count: int) -> list[Ad]:
    """Adverts that differ in one word, indexed as one group."""
    made = [post(f"{word} {SOFA} {word}") for word in OWN_WORDS[:count]]
    work()
    assert Pair.objects.count() == count * (count - 1) // 2
    return made


def replace_judge(function: Callable[[str, str], Judgement]) -> None:
    """Put another judge in place. The stored pairs are of the one before."""
    JudgeOfTests.present = staticmethod(function)
    Pair.objects.update(judge_version=JUDGE_VERSION - 1)


def on_texts_with(word: str, function: Callable[[str, str], Judgement]) -> Callable[[str, str], Judgement]:
    """Return a judge that says the same as ``function`` of texts with the word, and "duplicate" of others."""
    return lambda a, b: function(a, b) if word in a + b else duplicate(a, b)


def run(*arguments: str, **options) -> str:
    out = io.StringIO()
    call_command("neardup_index", *arguments, "--rejudge", "--no-progress", stdout=out, **options)
    return out.getvalue()


def members(instance: Ad) -> set[str]:
    group = cluster(instance)
    return set(group.memberships.values_list("object_id", flat=True)) if group else set()


def test_a_pair_names_its_judge() -> None:
    posts(2)
    assert list(Pair.objects.values_list("judge_version", "snapshot")) == [(JUDGE_VERSION, "")]
    assert not stale_pairs("default").exists()


@pytest.mark.parametrize("version", [JUDGE_VERSION - 1, JUDGE_VERSION + 1])
def test_pairs_of_any_other_version_are_stale(version) -> None:
    posts(2)
    Pair.objects.update(judge_version=version)
    assert stale_pairs("default").count() == 1


def test_pairs_of_another_snapshot_are_stale_until_they_are_judged_again() -> None:
    posts(2)
    IgnoredPassage.objects.create(text=CAT)
    assert stale_pairs("default").count() == 1
    run()
    assert Pair.objects.get().snapshot == Scheme.objects.get().parameters["boilerplate"] != ""
    assert not stale_pairs("default").exists()


def test_pairs_of_a_retired_scheme_are_left_alone() -> None:
    posts(2)
    replace_judge(variant)
    Scheme.objects.update(state=Scheme.State.RETIRED)
    assert run().startswith("0 pairs were judged again.")
    assert Pair.objects.get().verdict == "duplicate"


def test_verdict_evidence_and_clusters_follow() -> None:
    first, second, third = posts(3)
    assert cluster(first).size == 3
    replace_judge(on_texts_with("гамма", variant))
    run()
    changed = pair(second, third)
    assert (changed.verdict, changed.classes, changed.judge_version) == ("variant", "name", JUDGE_VERSION)
    assert changed.evidence["differences"][0]["a"]["text"] == "красный"
    assert members(first) == {str(first.pk), str(second.pk)} and not members(third)
    replace_judge(duplicate)
    run()
    assert members(third) == {str(ad.pk) for ad in (first, second, third)}


def test_doubts_follow_and_are_counted() -> None:
    posts(2)
    replace_judge(variant)
    assert "doubt" not in run()
    replace_judge(maybe_variant)
    assert "  doubtful verdicts: 0 before, 1 after" in run().splitlines()
    stored = Pair.objects.get()
    assert (stored.verdict, stored.doubtful, stored.evidence["certainty"]) == ("variant", True, "maybe")
    replace_judge(variant)
    assert "  doubtful verdicts: 1 before, 0 after" in run().splitlines()
    assert not Pair.objects.get().doubtful


def test_scores_of_a_group_follow() -> None:
    first, *_ = posts(3)
    replace_judge(lambda a, b: Judgement("duplicate", 0.95, exact=True))
    run()
    group = cluster(first)
    assert (group.lowest, group.weakest, group.exact) == (0.95, 0.95, True)
    assert set(Membership.objects.values_list("score", flat=True)) == {1.0, 0.95}


def test_a_pair_without_likeness_is_deleted() -> None:
    first, second, third = posts(3)
    replace_judge(on_texts_with("гамма", none))
    out = run()
    assert Pair.objects.get() == pair(first, second)
    assert members(first) == {str(first.pk), str(second.pk)}
    assert "duplicate  none       2" in out and "unchanged             1" in out


def test_the_result_is_that_of_an_index_built_by_the_new_judge() -> None:
    made = posts(5)
    replace_judge(lambda a, b: variant(a, b) if ("бета" in a + b) != ("дельта" in a + b) else duplicate(a, b))
    run()
    rejudged = snapshot()
    for ad in made:
        ad.save()
    Document.objects.update(recheck=True)
    work()
    assert snapshot() == rejudged


def test_nothing_is_signed_and_no_key_is_written(judge) -> None:
    posts(3)
    replace_judge(variant)
    before, judge.signed = snapshot(), 0
    run()
    assert judge.signed == 0
    after = snapshot()
    assert (after["keys"], after["fingerprints"]) == (before["keys"], before["fingerprints"])
    assert not Document.objects.filter(pending_since__isnull=False).exists()


def test_a_text_that_has_changed_is_left_to_the_worker() -> None:
    first, second, third = posts(3)
    replace_judge(variant)
    Ad.objects.filter(pk=third.pk).update(text=CAT)
    out = run()
    assert "1 pair was judged again.\n2 pairs were left for the worker" in out
    assert pair(first, second).verdict == "variant"
    assert {pair(first, third).verdict, pair(second, third).verdict} == {"duplicate"}
    work()
    assert Pair.objects.get() == pair(first, second)


def test_a_saved_edit_that_waits_is_left_to_the_worker() -> None:
    first, second = posts(2)
    replace_judge(variant)
    second.text += " Торг."
    second.save()
    assert "1 pair was left for the worker" in run()
    assert pair(first, second).verdict == "duplicate"
    work()
    assert (pair(first, second).verdict, pair(first, second).judge_version) == ("variant", JUDGE_VERSION)


def test_a_text_that_changes_while_it_is_judged_is_left_to_the_worker() -> None:
    first, second = posts(2)

    def edit_meanwhile(a: str, b: str) -> Judgement:
        JudgeOfTests.present = staticmethod(none)
        Ad.objects.get(pk=second.pk).save()
        Ad.objects.filter(pk=second.pk).update(text=CAT)
        work()
        return variant(a, b)

    replace_judge(edit_meanwhile)
    assert "0 pairs were judged again.\n1 pair was left for the worker" in run()
    assert not Pair.objects.exists()


def test_the_pairs_of_a_post_that_is_gone_are_left_alone() -> None:
    first, second = posts(2)
    replace_judge(variant)
    Ad.objects.filter(pk=second.pk)._raw_delete("default")
    assert "1 pair was left for the worker" in run()
    assert Pair.objects.get().verdict == "duplicate"


def test_models_are_chosen() -> None:
    posts(2)
    topics = [Topic.objects.create(text=f"{word} {CAT} {word}") for word in OWN_WORDS[:2]]
    work()
    replace_judge(variant)
    assert "1 pair was judged again." in run("testapp.Topic")
    topic = document(topics[0]).pk
    assert Pair.objects.get(Q(a=topic) | Q(b=topic)).verdict == "variant"
    assert stale_pairs("default").count() == 1
    assert "1 pair was judged again." in run("testapp.Ad")


def test_members_that_await_a_repair_keep_their_places() -> None:
    first, second, third = posts(3)
    Cluster.objects.update(wanted=1)
    replace_judge(variant)
    run()
    assert len(members(first)) == 3
    assert set(Pair.objects.values_list("verdict", flat=True)) == {"variant"}


# Decisions ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "before", "after", "label"),
    [
        ("same", duplicate, variant, "the same; duplicate → variant"),
        ("same", duplicate, none, "the same; duplicate → none"),
        ("different", variant, duplicate, "not duplicates; variant → duplicate"),
    ],
)
def test_decisions_stand_and_contradicted_ones_are_listed(kind, before, after, label, judge) -> None:
    judge.present = staticmethod(before)
    first, second = posts(2)
    decision = decide(kind, [document(first), document(second)], None, "default")
    replace_judge(after)
    out = run()
    assert (
        f"Decisions that the comparison now contradicts. They stay in force:\n  {label}: testapp.Ad:{first.pk} “"
        in out
    )
    assert len(members(first)) == (2 if kind == "same" else 0)
    stored = Pair.objects.first()
    assert stored is None if after is none else stored.decision == decision


def test_decisions_that_the_judge_confirms_are_not_listed() -> None:
    first, second = posts(2)
    decide("different", [document(first), document(second)], None, "default")
    replace_judge(variant)
    assert "contradicts" not in run()
    replace_judge(variant)
    assert "contradicts" not in run()


@pytest.mark.parametrize("kind", ["same", "different"])
def test_a_decision_on_a_text_edited_since_stands_too(kind) -> None:
    first, second = posts(2)
    decision = decide(kind, [document(first), document(second)], None, "default")
    second.text += " Торг."
    second.save()
    work()
    assert pair(first, second).decision == decision
    replace_judge(variant)
    run()
    assert pair(first, second).decision == decision
    assert len(members(first)) == (2 if kind == "same" else 0)
    (state,) = Decision.objects.get().known.values()
    assert state == ["duplicate", "", 0.9, "variant", "name"]
    # An edit that the new judge sees as no change keeps it in force; another verdict opens the pair again.
    second.text += " Срочно."
    second.save()
    work()
    assert pair(first, second).decision == decision
    JudgeOfTests.present = staticmethod(lambda a, b: Judgement("related", 0.5))
    second.text += " Завтра."
    second.save()
    work()
    opened = pair(first, second)
    assert opened.decision is None
    reviewed = find_reopened_pairs([opened], "default")[opened.pk].decided_state
    assert (reviewed.verdict, reviewed.difference_classes, reviewed.score) == ("duplicate", (), 0.9)


# Interrupts ---------------------------------------------------------------------------------------------


def interrupt_at(call: int, function: Callable[[str, str], Judgement]) -> Callable[[str, str], Judgement]:
    calls = iter(range(1, 1000))

    def judged(a: str, b: str) -> Judgement:
        if next(calls) == call:
            raise KeyboardInterrupt
        return function(a, b)

    return judged


def test_an_interrupted_run_is_continued(monkeypatch) -> None:
    posts(5)
    monkeypatch.setattr(rejudgement, "MAX_PAIRS_PER_BATCH", 3)
    monkeypatch.setattr(rejudgement, "IDS_PER_READ", 4)
    replace_judge(interrupt_at(6, variant))
    out = io.StringIO()
    with pytest.raises(
        CommandError, match=r"^Interrupted: 4 of 10 pairs were judged again\..* to continue\.$"
    ) as stop:
        call_command("neardup_index", "--rejudge", stdout=out, no_progress=True)
    assert stop.value.returncode == 130
    assert "duplicate  variant      4" in out.getvalue()
    ids = list(Pair.objects.order_by("pk").values_list("pk", flat=True))
    assert list(stale_pairs("default").order_by("pk").values_list("pk", flat=True)) == ids[4:]
    JudgeOfTests.present = staticmethod(variant)
    assert run().startswith("6 pairs were judged again.")
    assert set(Pair.objects.values_list("verdict", flat=True)) == {"variant"}
    assert run().startswith("0 pairs were judged again.")


def test_few_pairs_are_written_under_one_lock(monkeypatch) -> None:
    posts(4)
    monkeypatch.setattr(rejudgement, "PAIRS_PER_LOCK", 2)
    replace_judge(variant)
    locks_before = Space.objects.get().lock
    batches = list(rejudge(stale_pairs("default"), "default"))
    assert sum(count for count, _ in batches) == sum(len(rejudged) for _, rejudged in batches) == 6
    assert Space.objects.get().lock == locks_before + 3
    assert not stale_pairs("default").exists()


# Output -------------------------------------------------------------------------------------------------


def test_examples_name_posts_and_what_decides() -> None:
    first, second = posts(2)
    replace_judge(variant)
    lines = run().splitlines()
    assert lines[0] == "1 pair was judged again."
    assert [line.split() for line in lines[1:4]] == [
        ["before", "after", "pairs"],
        ["duplicate", "variant", "1"],
        ["unchanged", "0"],
    ]
    (example,) = lines[lines.index("Examples:") + 1 :]
    assert example.startswith(f"  duplicate → variant: testapp.Ad:{first.pk} “альфа Продаю угловой диван")
    assert f" – testapp.Ad:{second.pk} “бета Продаю" in example
    assert example.endswith("… (красный / синий)".replace("… ", "…” "))
    # What decided before is shown if nothing decides now.
    replace_judge(duplicate)
    assert run().splitlines()[-1].endswith("” (красный / синий)")


def test_of_many_changes_every_kind_has_its_examples(monkeypatch) -> None:
    posts(5)
    monkeypatch.setattr("django_neardup.management.rejudgement_report.MAX_EXAMPLES", 3)
    replace_judge(on_texts_with("эпсилон", variant))
    Pair.objects.filter(pk=Pair.objects.latest("pk").pk).update(verdict="related")
    lines = run().splitlines()
    examples = lines[lines.index("Examples:") + 1 :]
    assert [line.split(":")[0].strip() for line in examples] == [
        "duplicate → variant", "related → variant", "duplicate → variant"
    ]  # fmt: skip


def test_posts_are_quoted_without_markup_and_control_characters() -> None:
    for word in OWN_WORDS[:2]:
        post(f"<b>{word}</b>\n\x1b[31m{SOFA}")
    work()
    replace_judge(variant)
    out = run()
    assert "“альфа \ufffd[31mПродаю" in out and "\x1b" not in out


def test_the_report_in_russian() -> None:
    first, second = posts(2)
    decide("same", [document(first), document(second)], None, "default")
    replace_judge(variant)
    with translation.override("ru"):
        out = run()
    assert out.startswith("Заново сравнена 1 пара.\n")
    assert "\nПримеры:\n  дубликат → вариант: testapp.Ad:" in out
    assert "которым теперь противоречит сравнение" in out
    replace_judge(interrupt_at(1, variant))
    with translation.override("ru"), pytest.raises(CommandError, match=r"^Прервано"):
        run()


def test_verbosity_0_prints_nothing(capsys) -> None:
    posts(2)
    replace_judge(variant)
    assert run(verbosity=0) == ""
    assert capsys.readouterr() == ("", "")
    assert Pair.objects.get().verdict == "variant"


def test_a_dry_run_only_counts() -> None:
    posts(3)
    replace_judge(variant)
    assert run("--dry-run") == "3 pairs would be judged again.\n"
    assert stale_pairs("default").count() == 3


@pytest.mark.parametrize("option", ["--reconcile", "--rebuild", "--restart", "--no-drain", "--workers=2"])
def test_other_modes_are_refused(option) -> None:
    with pytest.raises(CommandError, match=f"combine --rejudge with {option.split('=')[0]}"):
        run(option)


def test_every_pair_of_posts_is_judged_once(judge) -> None:
    made, seen = posts(3), []

    def judged(a: str, b: str) -> Judgement:
        seen.append((a.strip(), b.strip()))
        return variant(a, b)

    replace_judge(judged)
    run()
    assert sorted(seen) == sorted(combinations([ad.text for ad in made], 2))
