"""The text of one item, and the moments that are worth showing."""

from __future__ import annotations

import json

import cv2
import numpy as np
import pytest

from surgqa.pipeline.demo.describe import describe_item, evidence_line, frame_places
from surgqa.pipeline.demo.moments import shown_times

S = 1_000_000
BOX = [0.25, 0.25, 0.5, 0.5]
OTHER = [0.6, 0.5, 0.8, 0.9]


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "videos" / "VID01"
    folder.mkdir(parents=True)
    for second in range(30):
        picture = np.full((120, 200, 3), 60 + 4 * second, np.uint8)
        (folder / f"{second:06d}.png").write_bytes(cv2.imencode(".png", picture)[1].tobytes())
    return tmp_path


HOOK = {"label": "hook", "subject": "hook", "track": "hook-1"}


def item(**changes) -> dict:
    row = {
        "item_id": "ab" * 16,
        "template_id": "surgstu.locate",
        "task": "spatial_temporal_grounding/locate",
        "dataset": "cholect50",
        "video_id": "VID01",
        "start_us": 10 * S,
        "end_us": 30 * S,
        "resolution_us": S,
        "query_us": None,
        "media": {
            "kind": "frames",
            "path": "videos/VID01",
            "fps_num": 1,
            "fps_den": 1,
            "width": 200,
            "height": 120,
        },
        "question": "Where is the hook at 4.00 s?",
        "answer": "[250, 250, 500, 500]",
        "options": [],
        "answer_value": json.dumps({"box": BOX}),
        "slots": json.dumps({"moment": 14 * S, "tool": HOOK, "box": BOX}),
        "evidence": [{"kind": "tracks", "id": "hook-1", "start_us": 14 * S, "end_us": 14 * S}],
        "label_source": "manual",
    }
    return row | changes


def choice() -> dict:
    options = [
        {"key": key, "text": text, "is_answer": key == "B", "kind": "verb"}
        for key, text in zip("ABCD", ("cut", "dissect", "clip", "idle"), strict=True)
    ]
    slots = {
        "span": {"start": 12 * S, "end": {"time_us": 21 * S, "earliest_us": 20 * S}},
        "tool": HOOK | {"track": "hook-2"},
    }
    return item(
        question="Which action?",
        answer="B) dissect",
        options=options,
        answer_value={"verb": "dissect"},
        slots=slots,
    )


def test_a_span_gives_start_middle_and_end():
    assert shown_times(choice()) == [12 * S, 16 * S, 21 * S]


def test_timed_answers_choose_their_own_moments():
    value = {"low.start": 25 * S, "low.box": BOX, "high.start": 13 * S, "high.box": OTHER}
    row = item(answer_value=value, slots={"span": {"start": 11 * S, "end": 28 * S}})
    assert shown_times(row) == [11 * S, 13 * S, 25 * S]
    seen = {"track": HOOK, "start": 11 * S, "end": {"time_us": 29 * S}, "start_box": BOX,
            "end_box": OTHER}  # fmt: skip
    row = item(answer_value={"runs": [seen]}, slots={"moment": 14 * S})
    assert shown_times(row) == [11 * S, 14 * S, 29 * S]


def test_a_whole_clip_shows_its_first_middle_and_last_annotated_instant():
    row = item(answer_value={"there": True}, slots={"kind": "hook"})
    assert shown_times(row) == [10 * S, 19 * S, 29 * S]


def test_at_most_three_moments_and_the_asked_one_among_them():
    tools = [{"start": a * S, "end": b * S, "start_box": BOX, "end_box": BOX}
             for a, b in ((11, 29), (12, 28), (13, 27))]  # fmt: skip
    row = item(answer_value={"runs": tools}, slots={"moment": 14 * S})
    assert shown_times(row) == [11 * S, 14 * S, 29 * S]


def test_words_tell_question_options_answer_evidence_and_frames(root):
    text = describe_item(choice(), root)
    assert "* B) dissect" in text and "  A) cut" in text
    assert "answer    B) dissect" in text
    assert "evidence  tracks hook-1 at 14.00 s (labels: manual)" in text
    frames = [line for line in text.splitlines() if line.startswith("frame")]
    assert [f.split()[1].rsplit("/", 1)[1] for f in frames] == [
        "000012.png",
        "000016.png",
        "000021.png",
    ]
    assert max(map(len, describe_item(item(question="word " * 50)).splitlines())) <= 88


def test_where_to_look_without_files_or_with_a_film():
    assert frame_places(item()) == ["videos/VID01 at 14.00 s"]
    film = item(media={"kind": "video", "path": "v.mp4", "fps_num": 25, "fps_den": 1})
    assert frame_places(film) == ["v.mp4 at 14.00 s"]
    assert "without pictures" in frame_places(item(media={"kind": "absent", "path": None}))[0]


def test_many_pointers_are_counted():
    pointers = [{"kind": "tracks", "id": f"t-{k}", "start_us": 0, "end_us": S} for k in range(7)]
    assert "t-2 0.00 to 1.00 s; and 4 more" in evidence_line(item(evidence=pointers))
