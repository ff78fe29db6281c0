"""The folder that is written: the same bytes from the same rows, names that tell hidden."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from surgqa.transforms.exports.medstream.media import _recording, slug, tells, video_slug
from tests.each import cases

from .items import COLON, S, item, items, options

GOLDEN = "b1892b6918d48097178001af346da84054e3bbc4dc2dd18dac96e77f8eeb4f48"


def _contents(folder: Path) -> dict[str, bytes]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_the_files(export):
    assert list(_contents(export())) == [
        "README.md",
        *(f"annotations/{n}.jsonl" for n in ("demochole", "democolon", "demoframes", "demostill")),
        "export.json",
        "media_map.jsonl",
        *(f"model/{n}.jsonl" for n in ("demochole", "democolon", "demoframes", "demostill")),
    ]


def test_the_bytes_are_the_same_whatever_the_shards_and_their_format(export):
    first = _contents(export(name="first"))
    assert _contents(export(list(reversed(items())), name="second", shards=4)) == first
    assert _contents(export(name="third", shards=2, parquet=False)) == first
    together = hashlib.sha256(b"".join(name.encode() + data for name, data in first.items()))
    assert together.hexdigest() == GOLDEN, "the export's bytes have changed: say so in CHANGELOG"


@cases(
    ("kind", "path", "ending"),
    [("video", "v/A.1.MP4", ".mp4"), ("image", "i/A.png", ".png"), ("frames", "f/A.1", "")],
)
def test_names_that_reveal_nothing_keep_the_ending_of_a_file(kind, path, ending):
    row = {"dataset": "d", "video_id": "v", "split": None, "media": {"kind": kind, "path": path}}
    found = _recording(row)
    assert found.alias_path == f"media/{found.alias}{ending}"


def test_rows_stand_in_order_of_their_ids(export, read):
    for path in sorted((export() / "annotations").iterdir()):
        ids = [one["sample_id"] for one in read(path)]
        assert ids == sorted(ids)


def test_the_manifest_counts_and_digests(export):
    to = export()
    manifest = json.loads((to / "export.json").read_bytes())
    contents = _contents(to)
    assert set(manifest["files"]) == set(contents) - {"export.json"}
    for name, said in manifest["files"].items():
        assert said["sha256"] == hashlib.sha256(contents[name]).hexdigest()
        assert said["lines"] == contents[name].count(b"\n")
    assert manifest["datasets"]["democolon"] == {
        "items": 2, "rounds": 9, "by_temporal_mode": {"proactive": 2},
    }  # fmt: skip
    assert manifest["hidden_names"] == ["democolon"]
    assert "| democolon | 2 | 9 | proactive 2 |" in contents["README.md"].decode()


def test_names_that_tell_are_hidden_in_the_whole_dataset(export, read):
    to = export()
    rows = read(to / "annotations" / "democolon.jsonl")
    known = {one["alias"]: one for one in read(to / "media_map.jsonl")}
    assert {known[row["video_id"]]["video_id"] for row in rows} == {"Polyp_3", "n9"}
    told = json.dumps(
        [{k: row[k] for k in ("sample_id", "video_id", "media_path")} for row in rows]
    )
    assert "olyp" not in told
    assert "n9" not in told
    paths = {known[row["video_id"]]["media_path"]: row["media_path"] for row in rows}
    alias = next(one["alias"] for one in known.values() if one["video_id"] == "Polyp_3")
    assert paths == {"Polyp/Polyp_3.avi": f"media/{alias}.avi", None: "media: absent"}


def test_rows_for_models_name_no_recording(export, read):
    to = export()
    known = {one["alias"]: one for one in read(to / "media_map.jsonl")}
    for path in sorted((to / "model").iterdir()):
        for row in read(path):
            entry = known[row["video_id"]]
            assert row["media_path"] == entry["alias_path"]
            assert (entry["dataset"], entry["split"]) == (row["dataset"], "train")
    assert known_of(known, "i42")["alias_path"].endswith(".png")
    assert not known_of(known, "V07")["hidden"]


def known_of(known: dict, video_id: str) -> dict:
    return next(one for one in known.values() if one["video_id"] == video_id)


@cases(
    ("video", "path", "told"),
    [
        ("c3", "videos/c3.avi", False),
        ("Adenoma_3", "videos/c3.avi", True),
        ("c3", "AdenomaVideos/c3.avi", True),
        ("c3", "democolon/adenomas/c3.avi", True),
        ("c3", "with_lesions/c3.avi", True),
        ("c3", "lesion-free/c3.avi", False),
        ("left_frames", "videos/left.avi", False),
    ],
)
def test_what_tells_an_answer(video, path, told):
    row = item("present/finding", COLON, 10 * S, 0, question="Which lesion is seen?",
               value={"seen.label": "adenoma"},
               **options("adenoma", "ulcer"))  # fmt: skip
    row |= {"question": "Which lesion is to the left?", "answer": "It lies to the left."}
    row |= {"video_id": video, "media": row["media"] | {"path": path}}
    assert tells(row, "democolon") is told


@cases(
    ("name", "expected"),
    [("VID01", "vid01"), ("Knot_Tying_C001", "knot_tying_c001"), ("a b/c (2)", "a-b-c-2"),
     ("Knot_Tying_Knot_Tying_C001", "x"), ("case_none", "x"), ("***", "x"), ("1_1", "1_1")],
)  # fmt: skip
def test_a_slug_is_plain_and_says_nothing_twice(name, expected):
    assert slug(name, "x") == expected


def test_a_video_does_not_repeat_its_dataset():
    assert video_slug("demochole", "demochole_01", "x") == "x"
    assert video_slug("demochole", "video01", "x") == "video01"
