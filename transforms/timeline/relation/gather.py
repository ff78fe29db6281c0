"""Convert what readers return to the table of facts (the relation)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np

from surgqa.ontology.evidence_ids import label_id, moment_ids, region_ids, segment_ids
from surgqa.ontology.kinds import kind as described
from surgqa.ontology.kinds import kind_of_span, terms_of
from surgqa.ontology.records import (
    Clock,
    InstrumentTable,
    MediaKind,
    Span,
    VideoEvidence,
    VideoLabel,
)
from surgqa.transforms.registry import mapped_labels
from surgqa.transforms.timeline.relation.draft import RelationDraft
from surgqa.transforms.timeline.relation.hands import Row, name_hands
from surgqa.transforms.timeline.relation.instants import KindInstants, holes_between, runs_of
from surgqa.transforms.timeline.relation.join import joined
from surgqa.transforms.timeline.relation.sightings import Sighted, add_sightings
from surgqa.transforms.timeline.relation.table import (
    FAR,
    NONE,
    Recording,
    Relation,
    on_axis,
    region_track,
)
from surgqa.transforms.timeline.relation.tools import add_tools
from surgqa.transforms.timeline.timeline import Timeline

RENAMED = {"action": "interaction"}
"""Kind of moment -> kind of fact that it becomes; an observed action becomes an interaction."""

ALONE = ("video", "subject")
"""Values of ``exclusive`` of kinds in which one label rules out all others at the same time."""


def relation_of(videos: Iterable[tuple[VideoEvidence, Timeline | None]]) -> Relation:
    """Return the facts of some videos."""
    return joined([_relation_of_one(*one) for one in videos])


def _relation_of_one(evidence: VideoEvidence, timeline: Timeline | None) -> Relation:
    video, draft = evidence.video, RelationDraft()
    draft.recordings.append(Recording(
        video.key, video.duration_us, video.period_us, video.fps, video.procedure,
        still=_is_picture(evidence), timed=video.clock != Clock.WHOLE,
    ))  # fmt: skip
    if timeline is not None:
        add_tools(draft, timeline)
    _add_spans(draft, evidence)
    _add_regions(draft, evidence)
    _add_whole(draft, evidence)
    _add_moments(draft, evidence)
    return draft.finish()


def _is_picture(evidence: VideoEvidence) -> bool:
    """True if a video is one image: by its file, or by labels at one instant without a clock."""
    video = evidence.video
    tables = [one for one in (evidence.instruments, *evidence.regions.values()) if one is not None]
    times = {time for table in tables for time in table.instants_us.tolist()}
    alone = video.clock == Clock.WHOLE and times == {0}
    return video.media.kind == MediaKind.IMAGE or alone


def _add_spans(draft: RelationDraft, evidence: VideoEvidence) -> None:
    by_kind: dict[str, list[tuple[Span, str]]] = defaultdict(list)
    for span, name in zip(evidence.spans, segment_ids(evidence.spans), strict=True):
        by_kind[kind_of_span(span)].append((span, name))
    half = max(evidence.video.period_us // 2, 1)
    everywhere = looked_at(evidence.spans)
    for kind in sorted(by_kind):
        spans = [span for span, _ in by_kind[kind]]
        exclusive = described(kind).exclusive
        alone = exclusive in ALONE
        looked = looked_at(spans) if alone else everywhere
        if described(kind).labelled == "noted":
            unseen = [(a, b) for one, a, b in evidence.unseen if one == kind]
            looked = holes_between(np.array(unseen, np.int64).reshape(-1, 2))
        rows = [_of_span(draft, span, name, half) for span, name in by_kind[kind]]
        if alone:
            _share_borders(draft, rows, exclusive == "subject")
        _open_into_holes(draft, rows, holes_between(looked))
        draft.add_rows(kind, rows)
        draft.add_holes(kind, looked)
    _add_sought(draft, evidence)


def looked_at(spans: Iterable[Span]) -> np.ndarray:
    """Return int64 (K, 2), the annotated stretches: the union of spans that touch.

    The time after the last label of a run of instants is not annotated.
    """
    out: list[tuple[int, int, int]] = []
    for span in sorted(spans, key=lambda s: (s.start_us, s.end_us)):
        ahead = max(span.sampled_us - 1, 0)
        if out and span.start_us <= out[-1][1]:
            start, end, before = out.pop()
            blocks = (start, end, before), (start, span.end_us, ahead)
            out.append(max(blocks, key=lambda block: (block[1], block[1] - block[2])))
        else:
            out.append((span.start_us, span.end_us, ahead))
    return np.array([(a, b - ahead) for a, b, ahead in out], np.int64).reshape(-1, 2)


def _of_span(draft: RelationDraft, span: Span, name: str, half: int) -> dict[str, object]:
    """Return the fact of a span. Its start and end are ranges.

    A range is the time between two labelled instants, or ``half`` to each side of an exact time.
    """
    code = draft.codes.code
    value = np.nan if span.value is None else span.value
    (proof,) = draft.add_proofs([("segments", ((span.start_us, name),))]).tolist()
    row = {
        "label": code(span.label), "subject": code(span.subject), "rater": code(span.rater),
        "origin": code(span.origin),
        "value_lo": value, "value_hi": value, "proof": proof,
    }  # fmt: skip
    for border, at in (("s", span.start_us), ("e", span.end_us)):
        if span.sampled_us:
            low, printed, high = at - span.sampled_us + 1, at - span.sampled_us // 2, at
        else:
            low, printed, high = at - half, at, at + half
        row |= {f"{border}0": low, border: printed, f"{border}1": high}
    return row


def _add_sought(draft: RelationDraft, evidence: VideoEvidence) -> None:
    """Record which labels of a kind annotators could use: those in the dataset's vocabulary.

    User-supplied data have no vocabulary, so the labels that occur in them are taken. For a kind
    with one label at a time, every other label is absent while one is present.
    """
    seen: dict[str, set[str]] = defaultdict(set)
    for one in (*evidence.spans, *evidence.labels):
        seen[kind_of_span(one)].add(one.label)
    spanned = {kind_of_span(span) for span in evidence.spans}
    for kind, labels in sorted(seen.items()):
        known = mapped_labels(evidence.video.dataset, kind)
        if known or (kind in spanned and described(kind).exclusive not in ALONE):
            draft.looked_for.setdefault(
                (draft.video, kind), {"label": frozenset({*known, *labels})}
            )


def _share_borders(draft: RelationDraft, rows: list[dict[str, object]], of_subject: bool) -> None:
    """Mark the end of a label and the start of the next label at the same time as one border.

    Args:
        of_subject: only labels of the same subject share a border.
    """
    by_start = {(row["s"], row["s1"], of_subject and row["subject"]): row for row in rows}
    for row in rows:
        following = by_start.get((row["e"], row["e1"], of_subject and row["subject"]))
        if following is not None and following is not row:
            row["e_mark"] = following["s_mark"] = draft.new_gaps()


def _open_into_holes(
    draft: RelationDraft, rows: list[dict[str, object]], holes: np.ndarray
) -> None:
    """Let a span that ends at a gap continue into the gap, where it may join an equal span.

    If the end cannot lie before the gap, the stated end becomes the gap's first instant. If a start
    cannot lie after the gap, the stated start becomes the gap's last instant.
    """
    for u0, u1 in holes.tolist():
        gap = draft.new_gaps()
        for row in rows:
            if u0 <= row["e1"] and row["e0"] <= u0:  # type: ignore[operator]
                row["e"] = u0 if row["e0"] == u0 else row["e"]
                row["e1"], row["e_gap"] = max(row["e1"], u1), gap  # type: ignore[type-var]
            if row["s0"] <= u1 and u1 <= row["s1"]:  # type: ignore[operator]
                row["s"] = u1 if row["s1"] == u1 else row["s"]
                row["s0"], row["s_gap"] = min(row["s0"], u0), gap  # type: ignore[type-var]


def _add_regions(draft: RelationDraft, evidence: VideoEvidence) -> None:
    spanned = {span.kind for span in evidence.spans}
    for kind in sorted(evidence.regions):
        name = f"{kind}_region" if kind in spanned else kind
        _add_region(draft, name, kind, evidence.regions[kind], evidence.video.period_us)


def _add_region(
    draft: RelationDraft, name: str, kind: str, table: InstrumentTable, period_us: int
) -> None:
    """Add facts of marked regions: a fact is a run of instants at which a class is marked."""
    grid = KindInstants(table.instants_us, period_us)
    labels = [table.labels[code] for code in table.label.tolist()]
    frames = [int(table.frames[sample]) for sample in table.sample.tolist()]
    ids = region_ids(kind, frames, labels)
    if table.absence is None:
        runs = runs_of(grid, table.label, table.sample)
        proofs = draft.prove_runs("regions", grid, runs, table.label, table.sample, ids)
        classes = draft.codes.codes(table.labels)
        draft.add_runs(name, runs, draft.new_gaps(len(grid.t) + 1), label=classes[runs.key],
                       proof=proofs)  # fmt: skip
    else:
        add_sightings(draft, Sighted(name, "regions", table, ids, table.label, period_us))
    draft.add_holes(name, grid.looked())
    draft.looked_for[draft.video, name] = {"label": frozenset(table.labels)}
    _add_boxes(draft, name, table)


def _add_boxes(draft: RelationDraft, name: str, table: InstrumentTable) -> None:
    """Add the boxes of a class at instants at which exactly one instance of it is marked."""
    pairs = np.stack([table.label, table.sample], axis=1)
    _, first, count = np.unique(pairs, axis=0, return_index=True, return_counts=True)
    alone = first[(count == 1) & ~np.isnan(table.box_xyxy[first]).any(axis=1)]
    classes = draft.codes.codes(region_track(name, one) for one in table.labels)
    times = on_axis(draft.video, table.instants_us[table.sample[alone]])
    draft.samples.append((classes[table.label[alone]], times, table.box_xyxy[alone]))


def _add_whole(draft: RelationDraft, evidence: VideoEvidence) -> None:
    """Add labels of the whole video as facts that hold throughout; ``subject`` is a label's kind.

    Ratings of several raters are one fact, whose value lies between the ratings. In a kind without
    values, a label of 0 states that something is absent.
    """
    code = draft.codes.code
    rows: list[dict[str, object]] = []
    said: dict[tuple[str, str], list[VideoLabel]] = defaultdict(list)
    for label in evidence.labels:
        said[label.kind, label.label].append(label)
    for (kind, name), labels in sorted(said.items()):
        if "value" not in described(kind).fields and all(one.value == 0 for one in labels):
            continue
        values = [one.value for one in labels if one.value is not None] or [np.nan]
        raters = {one.rater for one in labels}
        marks = tuple((0, label_id(one)) for one in labels)
        (proof,) = draft.add_proofs([("labels", marks)]).tolist()
        rows.append({
            "label": code(name), "subject": code(kind),
            "rater": code(raters.pop()) if len(raters) == 1 else NONE,
            "s0": -FAR, "s": 0, "s1": -FAR, "e0": FAR, "e": evidence.video.duration_us, "e1": FAR,
            "value_lo": min(values), "value_hi": max(values), "proof": proof,
        })  # fmt: skip
    draft.add_rows("whole_label", rows)
    draft.looked.add((draft.video, "whole_label"))
    draft.looked_for[draft.video, "whole_label"] = {"label": frozenset(name for _, name in said)}


def _add_moments(draft: RelationDraft, evidence: VideoEvidence) -> None:
    code = draft.codes.code
    rows: dict[str, list[Row]] = defaultdict(list)
    watched: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for one, name in zip(evidence.moments, moment_ids(evidence.moments), strict=True):
        if one.kind == "watched":
            watched[one.label].append((one.start_us, one.end_us))
            continue
        half = max(one.resolution_us, 1)
        value = np.nan if one.value is None else one.value
        (proof,) = draft.add_proofs([("moments", ((one.start_us, name),))]).tolist()
        end = max(one.end_us, one.start_us + 1)
        rows[RENAMED.get(one.kind, one.kind)].append({
            "label": code(one.label), "subject": code(one.tool), "verb": code(one.verb),
            "target": code(one.target), "track": code(one.group), "origin": code(one.origin),
            "s0": one.start_us - half, "s": one.start_us, "s1": one.start_us + half,
            "e0": max(end - half, one.start_us - half + 1), "e": end, "e1": end + half,
            "value_lo": value, "value_hi": value, "proof": proof,
        })  # fmt: skip
    name_hands(rows["transition"], rows["interaction"], draft.codes)
    for kind in sorted(kind for kind in rows if rows[kind]):
        draft.add_rows(kind, rows[kind])
        if described(kind).labelled == "noted":
            draft.looked.add((draft.video, kind))
            continue
        channels = CHANNELS.get(kind, (kind,))
        looked = _watched_in_all(watched, channels)
        draft.add_holes(kind, looked)
        sought = terms_of(described(kind).fields.get("label", ""))
        if len(looked) and sought:
            draft.looked_for[draft.video, kind] = {"label": frozenset(sought)}


CHANNELS: dict[str, tuple[str, ...]] = {
    "cue": ("tracks", "speech"), "contact": ("tracks",), "state": ("tracks",),
    "interaction": ("tracks",), "anomaly": ("anomaly",),
}  # fmt: skip
"""Kind of moment -> channels that must be watched if its absence is to be known."""


def _watched_in_all(
    watched: dict[str, list[tuple[int, int]]], channels: Sequence[str]
) -> np.ndarray:
    """Return int64 (K, 2), stretches in which all channels ("tracks", "speech") were watched."""
    common = [(-FAR, FAR)]
    for channel in channels:
        found = sorted(watched.get(channel, ()))
        common = [(max(a, c), min(b, d)) for a, b in common for c, d in found
                  if max(a, c) < min(b, d)]  # fmt: skip
    return np.array(common, np.int64).reshape(-1, 2)
