"""Pictures and text of one item: the right boxes, the same bytes, nothing assumed."""

from __future__ import annotations

import json

import cv2
import numpy as np
import pytest

from pipeline.demo.describe import describe_item, evidence_line, frame_places
from pipeline.demo.film import png
from pipeline.demo.marks import ANSWER, QUESTION, Mark, marks_of, shown_times
from pipeline.demo.picture import ON_PICTURE, SINGLE_WIDTH, draw_item, write_item

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


def event(second: int, box, track: str = "hook-1") -> dict:
    x1, y1, x2, y2 = box
    return {"track_id": track, "time_us": second * S, "x1": x1, "y1": y1, "x2": x2, "y2": y2}


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


def count(picture: np.ndarray, rgb) -> int:
    return int((np.abs(picture.astype(int) - rgb).max(axis=2) < 12).sum())


def test_an_instant_gives_one_frame_and_its_answer_box_in_green(root):
    picture = draw_item(item(), root)
    assert picture.dtype == np.uint8 and picture.shape[1] == SINGLE_WIDTH + 56
    assert count(picture, ON_PICTURE[ANSWER]) > 500
    assert count(picture, ON_PICTURE[QUESTION]) == 0
    frame = picture[28 : 28 + 500, 28 : 28 + SINGLE_WIDTH]
    assert abs(int(frame[480, 800, 0]) - (60 + 4 * 14)) <= 1, "the frame of second 14"
    ys, xs = np.nonzero(np.abs(frame.astype(int) - ON_PICTURE[ANSWER]).max(axis=2) < 12)
    height = round(120 * SINGLE_WIDTH / 200)
    assert abs(xs.min() - 0.25 * SINGLE_WIDTH) < 4 and abs(xs.max() - 0.5 * SINGLE_WIDTH) < 4
    assert abs(ys.max() - 0.5 * height) < 4


def test_a_span_gives_start_middle_and_end_with_the_asked_instrument_in_blue(root):
    row = choice()
    assert shown_times(row) == [12 * S, 16 * S, 21 * S]
    events = [event(t, OTHER, "hook-2") for t in range(10, 30)] + [event(12, BOX, "grasper-1")]
    picture = draw_item(row, root, events)
    assert count(picture, ON_PICTURE[QUESTION]) > 1500
    assert count(picture, ON_PICTURE[ANSWER]) == 0
    assert count(draw_item(row, root), ON_PICTURE[QUESTION]) == 0, "nothing without evidence"


def test_the_asked_instrument_is_not_drawn_over_its_own_answer():
    marks = marks_of(item(), [event(14, BOX), event(15, OTHER)])
    assert [(m.time_us, m.part) for m in marks] == [(14 * S, ANSWER), (15 * S, QUESTION)]


def test_boxes_and_points_of_the_question_are_blue_and_have_no_name():
    for shown in (BOX, [0.3, 0.4, 0.3, 0.4]):
        row = item(answer_value={"tool.label": "hook"}, slots={"moment": 14 * S, "box": shown})
        assert marks_of(row) == [Mark(14 * S, tuple(shown), QUESTION, "")]


def test_timed_answers_choose_their_own_moments():
    value = {"low.start": 25 * S, "low.box": BOX, "high.start": 13 * S, "high.box": OTHER}
    row = item(answer_value=value, slots={"span": {"start": 11 * S, "end": 28 * S}})
    assert shown_times(row) == [11 * S, 13 * S, 25 * S]
    assert [(m.time_us, m.label) for m in marks_of(row)] == [(13 * S, ""), (25 * S, "")]
    seen = {"track": HOOK, "start": 11 * S, "end": {"time_us": 29 * S}, "start_box": BOX,
            "end_box": OTHER}  # fmt: skip
    row = item(answer_value={"runs": [seen]}, slots={"moment": 14 * S})
    assert shown_times(row) == [11 * S, 14 * S, 29 * S]
    assert [(m.time_us, m.label) for m in marks_of(row)] == [
        (29 * S, "hook end"), (11 * S, "hook start"),
    ]  # fmt: skip


def test_an_instrument_that_is_the_answer_is_green_where_it_is():
    row = item(answer_value={"tool.track": HOOK}, slots={"moment": 14 * S, "tool": HOOK})
    assert marks_of(row, [event(14, BOX), event(14, OTHER, "grasper-1")]) == [
        Mark(14 * S, tuple(BOX), ANSWER, "hook")
    ]


def test_a_whole_clip_shows_its_first_middle_and_last_annotated_instant():
    row = item(answer_value={"there": True}, slots={"kind": "hook"})
    assert shown_times(row) == [10 * S, 19 * S, 29 * S]


def test_at_most_three_moments_and_the_asked_one_among_them():
    tools = [{"start": a * S, "end": b * S, "start_box": BOX, "end_box": BOX}
             for a, b in ((11, 29), (12, 28), (13, 27))]  # fmt: skip
    row = item(answer_value={"runs": tools}, slots={"moment": 14 * S})
    assert shown_times(row) == [11 * S, 14 * S, 29 * S]


def test_missing_frames_and_media_leave_an_empty_field_not_an_error(root):
    whole = draw_item(item(), root)
    for gone in (
        item(media={"kind": "absent", "path": None}),
        item(slots={"moment": 90 * S}, answer_value={}),
    ):
        assert draw_item(gone, root).shape[1] == whole.shape[1]
    assert count(draw_item(item(), None), ON_PICTURE[ANSWER]) > 500


def test_the_same_row_gives_the_same_png_without_a_time_in_it(root, tmp_path):
    rows = (item(), choice())
    for number, row in enumerate(rows):
        write_item(tmp_path / f"{number}.png", row, root)
        data = (tmp_path / f"{number}.png").read_bytes()
        assert data == png(draw_item(row, root))
        assert b"tIME" not in data and b"tEXt" not in data
        shape = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR).shape
        assert shape == draw_item(row, root).shape
    assert (tmp_path / "0.png").read_bytes() != (tmp_path / "1.png").read_bytes()


def test_long_questions_are_wrapped_inside_the_picture(root):
    short, long = draw_item(item(), root), draw_item(item(question="word " * 80), root)
    assert long.shape[1] == short.shape[1] and long.shape[0] > short.shape[0] + 60
    assert (long[:, -20:] == 255).all(), "the right margin stays free"


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
