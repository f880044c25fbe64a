"""What the app has stored in a database, as records that name documents by their objects.

Row ids, dates and leases are left out: they differ from run to run.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

from django_neardup.models import (
    Cluster,
    Contact,
    Document,
    Fingerprint,
    Hold,
    Key,
    Membership,
    Pair,
    Scheme,
)
from tools.digest.labelled import short_digest
from tools.digest.records import KEYS, VERDICTS, Record, Section


def stored_sections(title: str) -> list[Section]:
    """Read everything of the default database. `title` begins the names of the sections."""
    documents = {row.pk: row for row in Document.objects.select_related("content_type", "space", "repeats")}
    prints = {row.document_id: row for row in Fingerprint.objects.filter(scheme__state=Scheme.State.ACTIVE)}
    return [
        scheme_section(title),
        document_section(title, documents, prints),
        pair_section(title, documents, prints),
        cluster_section(title, documents, prints),
        key_section(title, documents, prints),
    ]


def name_of(document: Document) -> str:
    """Return the model and the object's id."""
    return f"{document.content_type.app_label}.{document.content_type.model} {document.object_id}"


def scheme_section(title: str) -> Section:
    """Return how texts were signed and judged."""
    section = Section(VERDICTS, f"{title} schemes")
    for scheme in Scheme.objects.all():
        section.add(
            f"{scheme.profile} {scheme.generation}",
            {
                "state": scheme.state,
                "algorithm": scheme.algorithm,
                "options": scheme.options,
                "parameters": scheme.parameters,
                "canonisation": scheme.canonisation,
                "language": scheme.language,
                "synonyms": scheme.synonyms,
            },
        )
    return section


def document_section(title: str, documents: dict[int, Document], prints: dict[int, Fingerprint]) -> Section:
    """Return the state of every document. `rank`: its place in the order that chooses leaders."""
    section = Section(VERDICTS, f"{title} documents")
    contacts: defaultdict[int, Counter[str]] = defaultdict(Counter)
    for document_id, kind in Contact.objects.values_list("document_id", "kind"):
        contacts[document_id][kind] += 1
    holds = {hold.document_id: hold for hold in Hold.objects.all()}
    for rank, document in enumerate(
        sorted(documents.values(), key=lambda document: document.static_order), 1
    ):
        fingerprint = prints.get(document.pk)
        section.add(
            name_of(document),
            {
                "state": document.state,
                "reason": document.reason,
                "live": document.live,
                "author": document.author,
                "space": space_name(document),
                "rank": rank,
                "waiting": document.pending_since is not None,
                "repeats": name_of(document.repeats) if document.repeats else None,
                "repeats_exactly": document.repeats_exactly,
                "words": fingerprint and fingerprint.word_count,
                "codes": fingerprint and fingerprint.codes,
                "contacts": contacts[document.pk],
                "hold": hold_record(holds.get(document.pk)),
            },
        )
    return section


def space_name(document: Document) -> str | None:
    """Return which models and which scope a document is compared in. Return None if it never was."""
    space = document.space
    return None if space is None else f"{space.profile}: {space.labels} {space.scope}".strip()


def hold_record(hold: Hold | None) -> Record | None:
    """Return why a post is held for review. Return None if it is not."""
    if hold is None:
        return None
    return {name: getattr(hold, name) for name in ("state", "verdict", "exact", "own", "trust")}


def pair_section(title: str, documents: dict[int, Document], prints: dict[int, Fingerprint]) -> Section:
    """Return every pair. The first side is the one whose name sorts first, whichever row id is lower."""
    section = Section(VERDICTS, f"{title} pairs")
    for pair in Pair.objects.select_related("decision"):
        a, b = documents[pair.a_id], documents[pair.b_id]
        current = _is_current(a, pair.digest_a, prints) and _is_current(b, pair.digest_b, prints)
        record = {
            "verdict": pair.verdict,
            "exact": pair.exact,
            "score": pair.score,
            "containment_a": pair.containment_a,
            "containment_b": pair.containment_b,
            "classes": pair.classes,
            "evidence": sorted_evidence(pair.evidence),
            "current": current,
            "decision": pair.decision.kind if pair.decision else None,
        }
        first, second = name_of(a), name_of(b)
        if first > second:
            first, second, record = second, first, swapped(record)
        section.add(f"{first} | {second}", record)
    return section


def _is_current(document: Document, digest: str, prints: dict[int, Fingerprint]) -> bool:
    fingerprint = prints.get(document.pk)
    return fingerprint is not None and fingerprint.source_digest == digest


def swapped(record: Record) -> Record:
    """Return the record of a pair as seen from its other side."""
    evidence = dict(record["evidence"])
    for kind in ("differences", "passages"):
        evidence[kind] = [{**item, "a": item["b"], "b": item["a"]} for item in evidence.get(kind, ())]
    return {
        **record,
        "containment_a": record["containment_b"],
        "containment_b": record["containment_a"],
        "evidence": sorted_evidence(evidence),
    }


def sorted_evidence(evidence: dict[str, Any]) -> dict[str, Any]:
    """Return the evidence with its lists in an order that does not depend on the side it is seen from."""
    return {
        kind: sorted(items, key=_as_text) if kind in ("differences", "passages") else items
        for kind, items in evidence.items()
    }


def _as_text(item: Any) -> str:
    return json.dumps(item, sort_keys=True)


def cluster_section(title: str, documents: dict[int, Document], prints: dict[int, Fingerprint]) -> Section:
    """Return every cluster with its members, named by its leader."""
    section = Section(VERDICTS, f"{title} clusters")
    members: defaultdict[int, list[Record]] = defaultdict(list)
    for membership in Membership.objects.all():
        document = documents[membership.document_id]
        members[membership.cluster_id].append(member_record(membership, document, prints))
    for cluster in Cluster.objects.all():
        section.add(
            name_of(documents[cluster.leader_id]),
            {
                "size": cluster.size,
                "lowest": cluster.lowest,
                "weakest": cluster.weakest,
                "exact": cluster.exact,
                "state": cluster.state,
                "waiting": cluster.pending_since is not None,
                "members": sorted(members[cluster.pk], key=lambda member: str(member["document"])),
            },
        )
    return section


def member_record(membership: Membership, document: Document, prints: dict[int, Fingerprint]) -> Record:
    """Return why a document belongs to its cluster."""
    leads = membership.reason == Membership.Reason.LEADER
    return {
        "document": name_of(document),
        "score": membership.score,
        "leads": leads,
        "reason": "" if leads else membership.reason,
        "exact": membership.exact,
        "current": _is_current(document, membership.digest, prints),
    }


def key_section(title: str, documents: dict[int, Document], prints: dict[int, Fingerprint]) -> Section:
    """Return what is indexed of every document."""
    section = Section(KEYS, f"{title} documents")
    keys = _by_document(Key.objects.values_list("document", "key"))
    contacts = _by_document(Contact.objects.values_list("document_id", "hash"))
    for pk, document in documents.items():
        fingerprint = prints.get(pk)
        section.add(
            name_of(document),
            {
                "keys": keys.get(pk, []),
                "contacts": contacts.get(pk, []),
                "fingerprint": fingerprint and fingerprint_record(fingerprint),
            },
        )
    return section


def fingerprint_record(fingerprint: Fingerprint) -> Record:
    """Return a stored fingerprint. Long byte strings are replaced by their digests."""
    return {
        "source_digest": fingerprint.source_digest,
        "exact_digest": fingerprint.exact_digest,
        "payload": short_digest(bytes(fingerprint.payload)),
        "keys": short_digest(bytes(fingerprint.keys)),
    }


def _by_document(rows: Iterable[tuple[int, int]]) -> dict[int, list[int]]:
    """Return sorted numbers by document id."""
    found: defaultdict[int, list[int]] = defaultdict(list)
    for document_id, number in rows:
        found[document_id].append(number)
    return {document_id: sorted(numbers) for document_id, numbers in found.items()}
