"""The unified JSON as SurgCoT's supplement lists it, part by part."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from surgqa.ontology.records import VideoEvidence
from surgqa.transforms.exports.evidence import evidence_tables
from surgqa.transforms.exports.unified.tree import Tables, file_of, lines
from surgqa.transforms.readers.unified.reader import Reader
from surgqa.transforms.timeline import build_timeline

Tree = dict[str, Any]
ANCHORS: list[Tree] = [
    {"segment_id": "s1", "time_range": [4.0, 6.5], "phase": "calot_dissection",
     "raw_caption": "we dissect the cystic duct", "normalized_terms": ["dissection", "cystic_duct"],
     "action": "dissection", "tool": "hook", "tissue": "cystic_duct"},
    {"segment_id": "s2", "time_range": [8.0, 9.0], "phase": "calot_dissection",
     "raw_caption": "a clean window", "normalized_terms": ["calot_triangle"]},
    {"segment_id": "s3", "time_range": [20.5, 22.0], "phase": "clipping_cutting",
     "raw_caption": "next we clip the artery", "normalized_terms": ["clip_placement"],
     "action": "clip_placement", "tissue": "cystic_artery", "intent": True},
]  # fmt: skip


def listing() -> Tree:
    """One video in the published shape, neither rate nor size stated."""
    return {
        "video_metadata": {"video_id": "LC_01", "procedure": "laparoscopic cholecystectomy",
                           "duration": 60.0, "surgeon_experience": "expert"},
        "temporal_evidence": {
            "asr_segments": [{"start": 4.0, "end": 6.5, "text": "Now we dissect the cystic duct."}],
            "temporal_anchors": [dict(one) for one in ANCHORS],
            "action_onsets": [
                {"action": "clip_placement", "tool": "clip_applier", "tissue": "cystic_artery",
                 "onset_frame": 720, "onset_time": 24.0},
            ],
            "micro_transitions": [{"frame": 900, "time": 30.0, "tool": "clip_applier",
                                   "from": "clip_placement", "to": "retraction"}],
        },
        "spatial_evidence": {
            "tool_tracks": [{"tool_id": "clip_applier_1", "tool_type": "clip_applier",
                             "timeline": [{"time": 24.0, "bbox": [500, 400, 90, 60]}]}],
            "tissue_tracks": [
                {"tissue_type": "cystic_artery",
                 "timeline": [{"time": 20.0, "state": "intact", "bbox": [540, 420, 80, 60]},
                              {"time": 26.0, "state": "clipped", "bbox": [540, 420, 80, 60]}],
                 "events": [{"time": 24.5, "event": "clip_placement",
                             "tool_id": "clip_applier_1"}]},
                {"tissue_type": "cystic_artery_stump",
                 "timeline": [{"time": 46.0, "state": "clipped", "bbox": [540, 420, 80, 60]}],
                 "events": [{"time": 46.5, "event": "bleeding_onset"}]},
            ],
            "affordances": [{"tool": "clip_applier", "tissue": "cystic_artery",
                             "action": "clip_placement", "interval": [24.0, 25.0],
                             "contact_bbox": [540, 420, 80, 60]}],
        },
        "anomaly_evidence": {"anomalies": [
            {"anomaly_id": "a1", "onset_frame": 1395, "onset_time": 46.5,
             "anomaly_type": "bleeding", "initial_bbox": [540, 420, 80, 60],
             "evolution": [{"frame": 1400, "bbox": [535, 415, 90, 70], "size": "small"}],
             "source": {"tissue": "cystic_artery_stump", "cause": "clip_slippage",
                        "location": "calot_triangle"}, "hemostasis_time": 50.0},
        ]},
        "clinical_context": {
            "phase_sequence": ["preparation", "calot_dissection", "clipping_cutting"],
            "critical_structures": ["cystic_duct", "cystic_artery"],
            "standard_workflow": {"clip_before_divide": True, "identify_before_dissect": True},
        },
    }  # fmt: skip


def test_what_was_read_of_the_listings_is_written_and_read_back(read, tmp_path) -> None:
    evidence = read(listing())
    found = evidence_tables(evidence, build_timeline(evidence), ())
    rows = {kind: table.to_pylist() for kind, table in found.items()}
    tree, left = file_of(Tables(rows["videos"][0], rows["moments"], rows["events"],
                                rows["segments"], rows["labels"]))  # fmt: skip
    assert not left
    again = read(json.loads(lines(tree)))
    assert again.rejected == ()
    for name in ("moments", "spans", "labels"):
        assert plain(getattr(again, name)) == plain(getattr(evidence, name))


def plain(things: Iterable[Any]) -> list[Any]:
    """Without where they stand, which is another file."""
    bare = (replace(one, source="", pointer="") for one in things)
    return sorted(bare, key=repr)


@pytest.fixture
def read(tmp_path: Path) -> Callable[[Tree], VideoEvidence]:
    """Writes a file and reads it; the books must balance."""

    def reading(tree: Tree) -> VideoEvidence:
        (tmp_path / "LC_01.json").write_text(json.dumps(tree))
        evidence = Reader(tmp_path).read("LC_01")
        assert all(books.balanced for books in evidence.books)
        return evidence

    return reading


def moments(evidence: VideoEvidence, kind: str) -> list[tuple[Any, ...]]:
    return [(one.start_us // 1000, one.label, one.tool, one.target, one.origin)
            for one in evidence.moments if one.kind == kind]  # fmt: skip


def test_nothing_of_the_listings_is_left_out(read) -> None:
    evidence = read(listing())
    assert evidence.rejected == ()
    (books,) = evidence.books
    assert (books.read, books.kept) == (17, 17)


def test_a_clip_that_is_placed_is_an_action_and_changes_the_tissue(read) -> None:
    evidence = read(listing())
    assert (24_000, "clip", "clipper", "cystic_artery", "annotated") in moments(evidence, "action")
    assert moments(evidence, "state") == [
        (24_500, "clipped", "clipper", "cystic_artery", "annotated"),
        (46_500, "bleeding", "", "cystic_artery", "annotated"),
    ]
    assert [one[0] for one in moments(evidence, "affordance")] == [24_000]
    assert moments(evidence, "anomaly") == [(46_500, "bleeding", "", "cystic_artery", "annotated")]


def test_an_anchor_is_an_action_that_is_spoken_of_or_a_cue(read) -> None:
    evidence = read(listing())
    spoken = (4000, "dissect", "hook", "cystic_duct", "speech")
    assert spoken in moments(evidence, "action")
    (one,) = [one for one in evidence.moments if one.origin == "speech" and one.kind == "action"]
    assert one.resolution_us == 2_000_000
    assert one.pointer == "temporal_evidence.temporal_anchors[0]"
    assert moments(evidence, "cue") == [(20_500, "intent", "", "cystic_artery", "speech")]


def test_words_of_an_anchor_are_said_once(read) -> None:
    said = [one.text for one in read(listing()).moments if one.kind == "said"]
    assert said == ["Now we dissect the cystic duct.", "a clean window", "next we clip the artery"]


def test_neighbouring_anchors_of_one_phase_make_one_stretch(read) -> None:
    spans = [(one.kind, one.label, one.start_us // 1000, one.end_us // 1000)
             for one in read(listing()).spans]  # fmt: skip
    assert spans == [("phase_anchor", "calot_triangle_dissection", 4000, 9000),
                     ("phase_anchor", "clipping_and_cutting", 20_500, 22_000)]  # fmt: skip


def test_phases_without_times_are_kept_as_an_order(read) -> None:
    labels = [(one.label, one.value) for one in read(listing()).labels if one.kind == "phase"]
    assert labels == [("preparation", 1.0), ("calot_triangle_dissection", 2.0),
                      ("clipping_and_cutting", 3.0)]  # fmt: skip


def test_one_unknown_term_costs_itself_alone(read) -> None:
    tree = listing()
    tree["clinical_context"]["phase_sequence"].append("coffee_break")
    anchors = tree["temporal_evidence"]["temporal_anchors"]
    anchors[0] = anchors[0] | {"tool": "spoon"}
    anchors[1] = anchors[1] | {"action": "juggling"}
    evidence = read(tree)
    found = [(str(one.code), one.outcome, one.where.split()[1]) for one in evidence.rejected]
    assert sorted(found) == [
        ("unknown_label", "rejected", "clinical_context.phase_sequence[3]"),
        ("unknown_label", "rejected", "temporal_evidence.temporal_anchors[1]"),
        ("unknown_label", "repaired", "temporal_evidence.temporal_anchors[0]"),
    ]
    assert (4000, "dissect", "", "cystic_duct", "speech") in moments(evidence, "action")


@pytest.mark.parametrize("entry", [{"time_range": [1, 2]}, {"phase": "preparation"}, "words", 3])
def test_an_anchor_that_says_nothing_is_left_out(read, entry) -> None:
    tree = listing()
    tree["temporal_evidence"]["temporal_anchors"] = [entry]
    assert [one.outcome for one in read(tree).rejected] == ["rejected"]


def test_anchors_may_stand_outside_of_all_sections(read) -> None:
    tree = listing()
    tree["temporal_anchors"] = tree["temporal_evidence"].pop("temporal_anchors")
    evidence = read(tree)
    assert [one.pointer for one in evidence.moments if one.kind == "cue"] == ["temporal_anchors[2]"]
    assert evidence.rejected == ()


def test_lists_that_are_not_read_are_on_the_books(read) -> None:
    tree = listing() | {"notes": ["a", "b"]}
    tree["spatial_evidence"]["smoke_tracks"] = [{}, {}, {}]
    tree["weather"] = {"clouds": [1]}
    found = [(str(one.code), one.count, one.where) for one in read(tree).rejected]
    assert sorted(found, key=lambda one: one[1]) == [
        ("excluded", 1, "LC_01.json weather.clouds"),
        ("excluded", 2, "LC_01.json notes"),
        ("excluded", 3, "LC_01.json spatial_evidence.smoke_tracks"),
    ]
