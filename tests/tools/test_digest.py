"""The instrument of `make digest`: records, their digests, and what changed between two versions."""

import pytest

from tests.pipeline.helpers import PIANO, SOFA, SOFA_EDITED, post, work
from tools.digest.__main__ import main, report
from tools.digest.changes import changes
from tools.digest.labelled import labelled_sections, spread
from tools.digest.records import (
    KEYS,
    VERDICTS,
    DuplicateRecord,
    Section,
    group_digest,
    read,
    section_digest,
    total_digest,
    write,
)
from tools.digest.stored import stored_sections, swapped

PAIR, OTHER = "board.ad 1 | board.ad 2", "board.ad 3 | board.ad 4"
RECORD = {"verdict": "duplicate", "score": 0.75, "differences": [{"kind": "word"}]}
EVIDENCE = {
    "differences": [{"a": {"text": "x"}, "b": {"text": "y"}}, {"a": {"text": "p"}, "b": {"text": "z"}}],
    "passages": [{"words": 4, "a": [0, 9], "b": [5, 14]}],
    "omitted": 0,
}


def pairs(**records):
    section = Section(VERDICTS, "pairs")
    for name, record in {PAIR: RECORD, OTHER: RECORD, **records}.items():
        section.add(name, record)
    return section


def keys(*numbers):
    section = Section(KEYS, "documents")
    section.add("board.ad 1", {"keys": list(numbers)})
    return section


class TestDigests:
    def test_the_order_of_records_sections_and_fields_does_not_matter(self):
        backwards = Section(VERDICTS, "pairs")
        for name in (OTHER, PAIR):
            backwards.add(name, dict(reversed(RECORD.items())))
        assert [name for name, _ in backwards.sorted_records()] == [PAIR, OTHER]
        assert section_digest(backwards) == section_digest(pairs())
        assert total_digest([keys(1), backwards]) == total_digest([pairs(), keys(1)])

    @pytest.mark.parametrize(
        "change", [{"verdict": "variant"}, {"score": 0.751}, {"differences": [{"kind": "price"}]}]
    )
    def test_a_changed_verdict_changes_the_digest_of_verdicts_alone(self, change):
        before, after = [pairs(), keys(1)], [pairs(**{PAIR: RECORD | change}), keys(1)]
        assert group_digest(before, VERDICTS) != group_digest(after, VERDICTS)
        assert group_digest(before, KEYS) == group_digest(after, KEYS)
        assert total_digest(before) != total_digest(after)

    def test_a_lost_record_and_a_lost_section_change_the_digest(self):
        section = pairs()
        del section.records[OTHER]
        assert section_digest(section) != section_digest(pairs())
        assert total_digest([pairs(), Section(VERDICTS, "empty")]) != total_digest([pairs()])

    def test_noise_of_floating_point_does_not_change_the_digest(self):
        assert 0.1 + 0.2 != 0.3
        noisy = [pairs(**{PAIR: RECORD | {"score": score}}) for score in (0.1 + 0.2, 0.3)]
        assert section_digest(noisy[0]) == section_digest(noisy[1])

    def test_two_records_of_one_name_are_refused(self):
        with pytest.raises(DuplicateRecord, match="two records"):
            keys(1).add("board.ad 1", {})

    def test_the_report_counts_every_section_and_ends_with_the_total(self):
        lines = list(report([pairs(), keys(1)]))
        assert lines[0].split() == ["verdicts:", "pairs", "2", section_digest(pairs())[:32]]
        assert [line.split()[0] for line in lines[2:]] == ["verdicts", "keys", "digest"]
        assert lines[-1].endswith(total_digest([pairs(), keys(1)]))


class TestFiles:
    @pytest.mark.parametrize("name", ["records.jsonl", "records.gz"])
    def test_what_was_written_is_read(self, name, tmp_path):
        sections = [keys(1, -(2**63)), pairs(**{"\ud800": {"text": "ё"}}), Section(VERDICTS, "empty")]
        write(tmp_path / name, sections)
        assert sorted(read(tmp_path / name), key=lambda section: section.name) == sorted(
            sections, key=lambda section: section.name
        )

    def test_another_file_is_refused_with_its_line(self, tmp_path):
        (tmp_path / "other").write_text('["verdicts","pairs","a",{}]\n{}\n')
        with pytest.raises(ValueError, match="other:2"):
            read(tmp_path / "other")


class TestChanges:
    def test_equal_records_give_no_lines(self):
        assert changes([pairs(), keys(1)], [keys(1), pairs()], 10) == []

    def test_a_changed_record_is_named_with_the_values_that_changed(self):
        after = RECORD | {"verdict": "variant", "differences": [{"kind": "price"}]}
        assert changes([pairs(), keys(1)], [pairs(**{OTHER: after}), keys(1)], 10) == [
            "verdicts / pairs: 1 of 2 records differ",
            f"  {OTHER}",
            '    differences[0].kind: "word" → "price"',
            '    verdict: "duplicate" → "variant"',
        ]

    def test_lists_of_other_lengths_tell_what_was_lost_and_added(self):
        lines = changes([keys(1, 2)], [keys(2, 3, 4)], 10)
        assert lines[2:] == ["    keys: 2 → 3 items, lost [1], added [3, 4]"]

    def test_records_and_sections_of_one_side_are_named(self):
        lines = changes([pairs(third={})], [pairs(), keys(1)], 10)
        assert lines == [
            "keys / documents: only in the second file",
            "verdicts / pairs: 1 of 3 records differ",
            "  third: only in the first file: {}",
        ]

    def test_no_more_records_than_asked_for_are_shown(self):
        changed = pairs(**{name: RECORD | {"score": 0.5} for name in (PAIR, OTHER)})
        assert changes([pairs()], [changed], 1)[1:] == [
            f"  {PAIR}",
            "    score: 0.75 → 0.5",
            "  … and 1 more",
        ]

    def test_the_command_names_the_record_and_exits_with_1(self, tmp_path, capsys):
        before, after = tmp_path / "before", tmp_path / "after"
        write(before, [pairs()])
        write(after, [pairs(**{PAIR: RECORD | {"verdict": "related"}})])
        assert main(["--diff", str(before), str(before)]) == 0
        assert main(["--diff", str(before), str(after)]) == 1
        assert PAIR in capsys.readouterr().out


class TestLabelled:
    def test_values_are_spread_over_the_whole_and_bounded(self):
        assert spread(range(10), 4) == [0, 2, 5, 7]
        assert list(spread(range(3), 4)) == [0, 1, 2]

    def test_keys_depend_on_the_secret_and_readings_do_not(self):
        one, again, other = (labelled_sections(None, secret, 3) for secret in ("one", "one", "other"))
        assert total_digest(one) == total_digest(again)
        assert group_digest(one, VERDICTS) == group_digest(other, VERDICTS)
        assert group_digest(one, KEYS) != group_digest(other, KEYS)
        judged = next(section for section in one if section.name == "labelled pairs")
        assert len(judged.records) == 6  # of two sets


class TestStored:
    def test_a_pair_seen_from_the_other_side_and_back_is_the_same(self):
        record = {"containment_a": 0.5, "containment_b": 0.9, "evidence": EVIDENCE}
        other = swapped(record)
        assert (other["containment_a"], other["containment_b"]) == (0.9, 0.5)
        assert other["evidence"]["passages"] == [{"words": 4, "a": [5, 14], "b": [0, 9]}]
        assert swapped(swapped(other)) == other

    @pytest.mark.django_db(transaction=True)
    def test_documents_pairs_and_clusters_are_named_by_their_objects(self):
        # 9 sorts behind 10 as text, so the pair is stored from the other side.
        for key, text in {9: SOFA, 10: SOFA_EDITED, 11: PIANO}.items():
            post(text, pk=key)
        work()
        found = {(section.group, section.name): section.records for section in stored_sections("site")}
        assert list(found[VERDICTS, "site clusters"]) == ["testapp.ad 9"]
        (pair,) = found[VERDICTS, "site pairs"].items()
        assert pair[0] == "testapp.ad 10 | testapp.ad 9" and pair[1]["verdict"] == "duplicate"
        (difference,) = pair[1]["evidence"]["differences"]
        assert (difference["a"]["text"], difference["b"]["text"]) == ("вечером", "")
        (members,) = (record["members"] for record in found[VERDICTS, "site clusters"].values())
        assert [member["document"] for member in members] == ["testapp.ad 10", "testapp.ad 9"]
        assert len(found[VERDICTS, "site documents"]) == len(found[KEYS, "site documents"]) == 3
        assert all(record["keys"] for record in found[KEYS, "site documents"].values())
