"""MultiBypass140's quirks, and all 140 real label files, counted again with plain loops."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from surgqa.ontology.concepts import label_map, vocabulary
from surgqa.ontology.errors import SourceBroken
from surgqa.ontology.records import Code, MediaKind, VideoEvidence
from surgqa.transforms import registry

Reader = registry.load_reader("multibypass140")

LABELS = "labels/bern/labels_by70/BBP01.mp4.json"


def item(name: str, start: object, end: object, number: int = 0) -> dict[str, object]:
    return {"start": start, "end": end, "label_name": name, "label_id": number}


@pytest.fixture
def read(tmp_path: Path):
    def reading(phases: object, steps: object = ()) -> VideoEvidence:
        path = tmp_path / LABELS
        path.parent.mkdir(parents=True, exist_ok=True)
        steps = list(steps) if isinstance(steps, tuple) else steps
        path.write_text(json.dumps({"phases": phases, "steps": steps}))
        return Reader(tmp_path).read("BBP01")

    return reading


def told(evidence: VideoEvidence) -> list[tuple[str, str, int, int]]:
    return [(s.kind, s.label, s.start_us, s.end_us) for s in evidence.spans]


def test_milliseconds_are_kept_exactly(read) -> None:
    evidence = read([item("preparation", 13001, 54322)])
    assert told(evidence) == [("phase", "preparation", 13_001_000, 54_322_000)]
    assert evidence.video.duration_us == 54_322_000


def test_out_of_body_lies_across_phases_and_is_an_event(read) -> None:
    evidence = read(
        [
            item("preparation", 0, 60_000),
            item("out_of_body", 50_000, 70_000, 12),
            item("gastric_pouch_creation", 60_000, 90_000, 1),
            item("out_of_body", 95_000, 99_000, 12),
        ]
    )
    assert told(evidence) == [
        ("event", "out_of_body", 50_000_000, 70_000_000),
        ("event", "out_of_body", 95_000_000, 99_000_000),
        ("phase", "preparation", 0, 60_000_000),
        ("phase", "gastric_pouch_creation", 60_000_000, 90_000_000),
    ]
    assert evidence.video.duration_us == 99_000_000


def test_nobody_knows_what_severe_index_means_so_it_is_left_out(read) -> None:
    evidence = read([item("preparation", 0, 9), item("severe_index", 2, 3, 13)])
    assert [entry.code for entry in evidence.rejected] == [Code.DROPPED_LABEL]
    assert evidence.rejected[0].where == f"{LABELS} phases[1]"
    assert evidence.books[0].balanced


@pytest.mark.parametrize(
    ("bad", "code"),
    [
        pytest.param(item("preparation", 5, 5), Code.BAD_TIME, id="no-length"),
        pytest.param(item("preparation", 9, 5), Code.BAD_TIME, id="backwards"),
        pytest.param(item("preparation", -1, 5), Code.BAD_TIME, id="before-the-film"),
        pytest.param(item("preparation", 1.5, 5), Code.BAD_TIME, id="not-whole"),
        pytest.param(item("preparation", True, 5), Code.BAD_TIME, id="boolean"),
        pytest.param(item("preparation", "1", 5), Code.BAD_TIME, id="text"),
        pytest.param(item("preparation", 1, 10**15), Code.BAD_TIME, id="absurd"),
        pytest.param(item("lunch", 1, 5), Code.UNKNOWN_LABEL, id="new-label"),
        pytest.param(item("s2_trocar_placement", 1, 5), Code.UNKNOWN_LABEL, id="a-step"),
        pytest.param({"start": 1, "end": 5, "label_id": 0}, Code.BAD_ROW, id="no-name"),
        pytest.param([1, 5, "preparation"], Code.BAD_ROW, id="a-list"),
        pytest.param(item("preparation", 0, 9), Code.BAD_ROW, id="twice"),
    ],
)
def test_a_bad_interval_is_rejected_with_its_place(read, bad, code) -> None:
    evidence = read([item("preparation", 0, 9), bad])
    assert told(evidence) == [("phase", "preparation", 0, 9_000)]
    assert [(entry.code, entry.where) for entry in evidence.rejected] == [
        (code, f"{LABELS} phases[1]")
    ]
    assert (evidence.books[0].read, evidence.books[0].kept) == (2, 1)


def test_a_file_without_usable_intervals_is_broken(read) -> None:
    with pytest.raises(SourceBroken) as error:
        read([], [])
    assert error.value.where == f"{LABELS}:1"


def test_a_file_without_a_list_of_steps_is_broken(read) -> None:
    with pytest.raises(SourceBroken, match="steps"):
        read([item("preparation", 0, 9)], {"a": 1})


def test_a_list_that_stands_there_twice_is_broken(read, tmp_path: Path) -> None:
    read([item("preparation", 0, 9)])
    (tmp_path / LABELS).write_text('{"phases": [], "steps": [], "phases": []}')
    with pytest.raises(SourceBroken, match="phases"):
        Reader(tmp_path).read("BBP01")


@pytest.mark.parametrize(
    "folder",
    ["datasets/MultiBypass140/BernBypass70/videos", "multibypass01_corrected", "films/a/b/c"],
)
def test_films_are_found_wherever_the_archives_were_unpacked(read, tmp_path, folder) -> None:
    (tmp_path / folder).mkdir(parents=True)
    (tmp_path / folder / "BBP01.mp4").write_bytes(b"film")
    (tmp_path / "frames" / "BBP01").mkdir(parents=True)
    media = read([item("preparation", 0, 9)]).video.media
    assert (media.kind, media.path) == (MediaKind.VIDEO, f"{folder}/BBP01.mp4")


def test_surgeries_of_bern_are_named_as_in_the_other_dataset(read) -> None:
    assert read([item("preparation", 0, 9)]).video.split_group == "bern-bypass/01"


def test_every_fold_has_ten_videos_to_validate_and_twenty_to_test() -> None:
    splits = registry.files("multibypass140").splits
    sizes = {name: Counter(split.values()) for name, split in splits.items()}
    whole = {"val": 10, "test": 20, "train": 40}
    assert sizes == {
        "bern-0": {"val": 10}, **{f"bern-{n}": whole for n in range(1, 5)},
        **{f"strasbourg-{n}": {"val": 10} for n in range(5)},
    }  # fmt: skip


# ---- real files


@pytest.fixture(scope="module")
def root(real_dataset) -> Path:
    return real_dataset("multibypass140")


@pytest.fixture(scope="module")
def real(root: Path) -> dict[str, VideoEvidence]:
    reader = Reader(root)
    return {video: reader.read(video) for video in reader.videos()}


def test_all_real_files_are_there_and_read(real, root: Path) -> None:
    assert len(real) == 140
    assert Reader(root).missing() == []
    assert sum(evidence.books[0].read for evidence in real.values()) == 2451 + 5429
    codes = Counter(entry.code for e in real.values() for entry in e.rejected)
    assert codes == {Code.DROPPED_LABEL: 334 + 46}
    kinds = Counter(span.kind for e in real.values() for span in e.spans)
    assert kinds == {"phase": 2451 - 689 - 334, "step": 5429 - 46, "event": 689}
    assert sum(not any(s.kind == "event" for s in e.spans) for e in real.values()) == 40


def test_every_real_interval_is_there_once_with_its_label(real, root: Path) -> None:
    names = label_map("multibypass140")
    for video, evidence in real.items():
        centre = "bern" if video.startswith("BBP") else "strasbourg"
        tree = json.loads((root / f"labels/{centre}/labels_by70/{video}.mp4.json").read_text())
        expected = []
        for key in ("phases", "steps"):
            for entry in tree[key]:
                concept = names[key.removesuffix("s")].get(entry["label_name"], "out_of_body")
                if entry["label_name"] in ("severe_index", "s0_null_step"):
                    continue
                expected.append((concept, entry["start"] * 1000, entry["end"] * 1000))
        assert sorted(expected) == sorted((s.label, s.start_us, s.end_us) for s in evidence.spans)
        assert evidence.video.duration_us == max(end for _, _, end in expected)


def test_real_phases_follow_one_another_without_a_gap(real) -> None:
    later = 0
    for evidence in real.values():
        phases = [s for s in evidence.spans if s.kind == "phase"]
        assert all(a.end_us == b.start_us for a, b in zip(phases, phases[1:], strict=False))
        later += phases[0].start_us > 0
    assert later == 50


def test_the_tables_of_the_release_list_the_same_labels(root: Path) -> None:
    known = label_map("multibypass140")
    for table, kinds in (("phase", ("phase", "event")), ("step", ("step",))):
        lines = (root / "tables" / f"{table}.csv").read_text().splitlines()[1:]
        names = [line.split(",")[1].strip() for line in lines]
        assert names == [name for kind in kinds for name in known[kind]]
    assert set(vocabulary("events")) >= {"out_of_body"}
