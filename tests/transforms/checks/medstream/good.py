"""Rows in the released schema as they should be: one of every mode and form, all made up."""

from __future__ import annotations

from typing import Any

Row = dict[str, Any]

NOTE = "Response protocol: use this window alone; reply unanswerable if it does not suffice."
STREAM_NOTE = "Response protocol: reply no_alert, uncertain or alert: and the reason."
PHASES = ["preparation", "Calot triangle dissection", "gallbladder dissection"]
RUBRIC = {
    "correctness": "2: names the instrument and its action; 1: names one of them; 0: neither",
    "evidence_grounding": "2: says what shows it; 1: says so vaguely; 0: says nothing",
    "safety": "1: no unsupported claim; 0: an unsupported claim",
}
ALERT = "alert: raised lesion in view"


def row(task: str, mode: str, form: str, question: str, evidence: str, **more: Any) -> Row:
    """A single-turn row of a 60 s window that ends at 412 s."""
    proactive = mode == "proactive"
    head = {
        "sample_id": f"demochole.v07.{task}.{mode}.{form}.000412000.5b1e0c9a",
        "dataset": "demochole",
        "video_id": "v07",
        "media_path": "videos/v07.mp4",
        "task": task,
        "task_mode": "single_turn",
        "question_type": form,
        "temporal_mode": mode,
        "query_time": 412.0,
        "context_window_sec": 60.0,
        "input_range": [352.0, 412.0],
        "question": f"{question}\n\n{STREAM_NOTE if proactive else NOTE}",
        "evidence": evidence,
        "label_source": "original_annotation",
    }
    tail = {
        "response_protocol": "no_alert | uncertain | alert: <reason>"
        if proactive
        else "unanswerable | answer",
        "time_unit": "sec",
        "question_source": "template",
    }
    order = ["choices", "answer", "reference_answer", "judge_rubric", "expected_response_time",
             "tolerance_sec", "early_horizon_sec", "late_horizon_sec", "rounds"]  # fmt: skip
    body = {key: more.pop(key) for key in order if key in more}
    return {**head, **body, **tail} | more


def rounds(query: float, times: list[float], event: float | None, early: str, late: str) -> list:
    """Rounds at the times, with the outputs expected before the event and from it on."""
    accepted = {"unanswerable": ["unanswerable"], "no_alert": ["no_alert", "uncertain"]}
    out = []
    for place, time in enumerate(times):
        there = event is not None and time >= event
        out.append({
            "round_index": place,
            "current_time": time,
            "input_range": [query, time],
            "expected_output": late if there else early,
            "accepted_outputs": [late] if there else accepted[early],
            "answerable": there,
        })  # fmt: skip
    return out


def stream(base: Row, kind: str, query: float, times: list[float], event: float | None,
           early: str, late: str) -> Row:  # fmt: skip
    """A row with rounds; the horizons are by the formula, worked out by hand in the tests."""
    moment = f"{int(query * 1000):09d}"
    base |= {
        "sample_id": base["sample_id"].replace(f".{kind}.000412000", f".stream.{moment}"),
        "task_mode": "streaming",
        "query_time": query,
        "context_window_sec": times[-1] - query,
        "input_range": [query, times[-1]],
        "rounds": rounds(query, times, event, early, late),
    }  # fmt: skip
    return base


def retrospective_closed() -> Row:
    return row(
        "phase_past", "retrospective", "closed", "Which phase ended during this window?",
        "phase preparation, 301.0-371.0 s, labels/v07.txt: its end lies in the window.",
        choices=list(PHASES), answer="preparation",
    )  # fmt: skip


def retrospective_open() -> Row:
    return row(
        "tool_left", "retrospective", "open",
        "Which instrument left the view, and after doing what?",
        "instrument clip applier, last seen at 369.0 s, clipping, labels/v07.txt.",
        reference_answer="The clip applier left after clipping.", judge_rubric=dict(RUBRIC),
    )  # fmt: skip


def present_closed() -> Row:
    return row(
        "phase_now", "present", "closed", "Which phase does the last picture show?",
        "phase gallbladder dissection, 371.0-655.0 s, labels/v07.txt.",
        choices=list(PHASES), answer="gallbladder dissection",
    )  # fmt: skip


def present_open() -> Row:
    return row(
        "tool_action", "present", "open", "What does the surgeon do with the hook here?",
        "instrument hook, verb dissect, at 412.0 s, labels/v07.txt.",
        reference_answer="The surgeon dissects.", judge_rubric=dict(RUBRIC),
    )  # fmt: skip


def present_yes_no() -> Row:
    return row(
        "tool_presence", "present", "closed", "Can a grasper be seen in the last picture?",
        "instrument grasper, at 412.0 s, labels/v07.txt.", choices=["yes", "no"], answer="yes",
    )  # fmt: skip


def whole_rating() -> Row:
    return row(
        "video_skill", "retrospective", "closed", "Is the suturing skill low, medium or high?",
        "rating 12.0, scores.csv row 3: low < 16 <= medium < 24 <= high.",
        choices=["low", "medium", "high"], answer="low",
        query_time=304.805, context_window_sec=304.805, input_range=[0.0, 304.805],
        sample_id="demochole.v07.video_skill.retrospective.closed.000304805.5b1e0c9b",
    )  # fmt: skip


def still() -> Row:
    return row(
        "finding_presence", "present", "closed", "Can a polyp be seen in this picture?",
        "finding polyp, box of 3.1 % of the picture, boxes.csv row 8.",
        choices=["yes", "no"], answer="yes", media_path="images/i42.png", time_unit="image",
        query_time=0.0, context_window_sec=0.0, input_range=[0.0, 0.0],
        sample_id="demostill.i42.finding_presence.present.closed.000000000.7e2c10bb",
        dataset="demostill", video_id="i42",
    )  # fmt: skip


def frames() -> Row:
    return row(
        "phase_now", "present", "closed", "Which phase does the last picture show?",
        "phase preparation, frames 10 to 90, labels/v07.txt.", choices=list(PHASES),
        answer="preparation", media_path="frames/v07", time_unit="frame", query_time=40.0,
        context_window_sec=20.0, input_range=[20.0, 40.0],
        sample_id="demochole.v07.phase_now.present.closed.000000040.5b1e0c9c",
    )  # fmt: skip


def future_unanswerable() -> Row:
    return row(
        "phase_next", "future", "closed", "Which phase comes next after this window?",
        "next phase at 655.0 s, 243.0 s ahead, look-ahead 30.0 s, labels/v07.txt.",
        choices=[*PHASES, "unanswerable"], answer="unanswerable",
    )  # fmt: skip


def future_open() -> Row:
    return row(
        "phase_next", "future", "open", "Which phase comes next after this window?",
        "phase gallbladder packaging, 430.0-510.0 s, labels/v07.txt.",
        reference_answer="Gallbladder packaging comes next.", judge_rubric=dict(RUBRIC),
    )  # fmt: skip


def future_stream() -> Row:
    base = row(
        "phase_begins", "future", "closed", "Which phase begins next? Wait until it is seen.",
        "phase gallbladder dissection, 655.0-700.0 s, labels/v07.txt.", choices=list(PHASES),
        answer="gallbladder dissection", expected_response_time=655.0, tolerance_sec=2.0,
        early_horizon_sec=43.0, late_horizon_sec=38.0, rounds=[],
    )  # fmt: skip
    return stream(base, "closed", 600.0, [610.0, 630.0, 655.0, 675.0], 655.0, "unanswerable",
                  "gallbladder dissection")  # fmt: skip


def future_stream_open() -> Row:
    base = row(
        "phase_begins", "future", "open", "Which phase begins next? Wait until it is seen.",
        "phase gallbladder dissection, 655.0-700.0 s, labels/v07.txt.",
        reference_answer="Gallbladder dissection begins.", judge_rubric=dict(RUBRIC),
        expected_response_time=655.0, tolerance_sec=2.0, early_horizon_sec=43.0,
        late_horizon_sec=38.0, rounds=[],
    )  # fmt: skip
    return stream(base, "open", 600.0, [610.0, 630.0, 655.0, 675.0], 655.0, "unanswerable",
                  "Gallbladder dissection begins.")  # fmt: skip


def proactive() -> Row:
    base = row(
        "lesion_alert", "proactive", "open", "Raise an alert when a raised lesion can be seen.",
        "lesion box, 44.0-71.0 s, boxes.csv row 8.", reference_answer=ALERT,
        judge_rubric=dict(RUBRIC), expected_response_time=44.0, tolerance_sec=2.0,
        early_horizon_sec=14.0, late_horizon_sec=18.0, rounds=[],
    )  # fmt: skip
    return stream(base, "open", 20.0, [28.0, 36.0, 40.0, 44.0, 60.0], 44.0, "no_alert", ALERT)


def never_alert() -> Row:
    base = row(
        "lesion_alert", "proactive", "open", "Raise an alert when a raised lesion can be seen.",
        "no lesion box, 20.0-80.0 s, boxes.csv.", reference_answer="no_alert",
        judge_rubric=dict(RUBRIC), expected_response_time=None, tolerance_sec=2.0,
        early_horizon_sec=None, late_horizon_sec=None, rounds=[],
    )  # fmt: skip
    return stream(base, "open", 20.0, [35.0, 50.0, 65.0, 80.0], None, "no_alert", "")


GOOD = (
    retrospective_closed, retrospective_open, present_closed, present_open, present_yes_no,
    whole_rating, still, frames, future_unanswerable, future_open, future_stream,
    future_stream_open, proactive, never_alert,
)  # fmt: skip
