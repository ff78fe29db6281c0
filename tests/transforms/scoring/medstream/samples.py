"""Hand-made rows of ``medstream`` by the contract of data/: every form and mode once."""

from __future__ import annotations

from typing import Any

import orjson

PHASES = ("preparation", "Calot triangle dissection", "clipping and cutting",
          "gallbladder dissection")  # fmt: skip
ALERT = "alert: raised lesion in view"
PHASE = {"phase": "label phase"}
SENTENCE = "The gallbladder dissection is under way: the hook works between gallbladder and liver."


def second(value: float) -> int:
    return round(value * 1_000_000)


def rubric(**more: Any) -> str:
    value = {
        "correctness": {"2": "names the gallbladder dissection and the hook", "1": "names one",
                        "0": "names neither"},
        "evidence_grounding": {"2": "two cues", "1": "one cue", "0": "no cue"},
        "safety": {"1": "no unsupported claim", "0": "has one"},
        "required": [["gallbladder dissection", "dissecting the gallbladder"], ["hook"]],
        "cues": [["liver", "liver bed"], ["plane"], ["smoke"]],
        "rivals": ["clipping and cutting", "preparation"],
    }  # fmt: skip
    return orjson.dumps(value | more, option=orjson.OPT_SORT_KEYS).decode()


def options(*texts: str, right: str | None = None) -> list[dict[str, Any]]:
    return [
        {"key": "ABCDEFGH"[i], "text": text, "is_answer": text == right, "kind": "x"}
        for i, text in enumerate(texts)
    ]


def base(
    item_id: str, mode: str, name: str, types: dict[str, str], value: dict[str, Any] | None = None,
    **more: Any,
) -> dict[str, Any]:  # fmt: skip
    return {
        "item_id": item_id, "benchmark": "medstream", "task": f"{mode}/{name}",
        "template_id": f"medstream.{name}", "dataset": "demochole", "video_id": "v07",
        "procedure": "laparoscopic cholecystectomy", "question": "Which phase is under way?",
        "start_us": second(402), "end_us": second(412), "query_us": second(412),
        "temporal_mode": mode, "task_mode": "single_turn", "form": "open", "answer": "",
        "answer_key": None, "options": [], "rubric": None, "rounds": [],
        **told(types, value), "unit": "now",
    } | more  # fmt: skip


def told(types: dict[str, str], value: dict[str, Any] | None = None) -> dict[str, str]:
    """What a row says of an answer with these parts: field -> ``type`` or ``type of``."""
    parts = {name: dict(zip(("type", "of"), [*said.split(), ""], strict=False))
             for name, said in types.items()}  # fmt: skip
    return {"rule": "only", "rule_args": orjson.dumps({"answer": parts}).decode(),
            "answer_value": orjson.dumps(value or dict.fromkeys(types)).decode()}  # fmt: skip


def closed(
    item_id: str = "c1", right: str = PHASES[3], texts: tuple[str, ...] = PHASES,
    mode: str = "present", name: str = "phase_now", types: dict[str, str] | None = None,
    **more: Any,
) -> dict[str, Any]:  # fmt: skip
    """A single turn with options."""
    key = "ABCDEFGH"[texts.index(right)]
    row = base(item_id, mode, name, types or PHASE, form="choice", answer=f"{key}) {right}",
               options=options(*texts, right=right), answer_key=key)  # fmt: skip
    return row | more


def free(item_id: str = "o1", mode: str = "present", **more: Any) -> dict[str, Any]:
    """A single turn that is answered in a sentence."""
    given = {"answer": SENTENCE, "rubric": rubric()} | more
    return base(item_id, mode, "phase_open", PHASE, **given)


def rounds(
    times: tuple[float, ...], event: float | None, before: str, after: str,
    accepted: tuple[str, ...] = (),
) -> list[dict[str, Any]]:  # fmt: skip
    out = []
    for index, time in enumerate(times):
        due = event is not None and time >= event
        out.append({
            "round_index": index, "current_us": second(time), "start_us": 0,
            "end_us": second(time), "expected_output": after if due else before,
            "accepted_outputs": [after] if due else list(accepted or (before,)),
            "answerable": due,
        })  # fmt: skip
    return out


SIX = (10.0, 20.0, 30.0, 40.0, 50.0, 60.0)
"""Rounds of the check values: the event at 40 s, tolerance 2 s."""


def stream(
    item_id: str = "s1", times: tuple[float, ...] = SIX, event: float | None = 40.0,
    right: str = PHASES[3], open_: bool = False, **more: Any,
) -> dict[str, Any]:  # fmt: skip
    """A future stream, closed unless it is asked for open."""
    answer = SENTENCE if open_ else right
    form = {"form": "open", "rubric": rubric()} if open_ else {
        "form": "choice", "options": options(*PHASES), "answer_key": "D"}  # fmt: skip
    row = base(item_id, "future", "phase_begins", PHASE, unit="stream", answer=answer,
               task_mode="streaming", **form,
               rounds=rounds(times, event, "unanswerable", answer))  # fmt: skip
    return row | more


def watch(
    item_id: str = "w1", times: tuple[float, ...] = (28.0, 36.0, 40.0, 44.0, 60.0),
    event: float | None = 44.0, accepted: tuple[str, ...] = ("no_alert", "uncertain"), **more: Any,
) -> dict[str, Any]:  # fmt: skip
    """A proactive stream."""
    marks = rubric(required=[["raised lesion", "polyp"]], cues=[["fold"], ["bulge"]], rivals=[])
    row = base(item_id, "proactive", "lesion_alert", {"hit": "fact finding"}, unit="stream",
               task_mode="streaming", rubric=marks,
               answer="no_alert" if event is None else ALERT,
               question="Watch the stream and raise an alert when a raised lesion can be seen.",
               procedure="colonoscopy", dataset="democolon",
               rounds=rounds(times, event, "no_alert", ALERT, accepted))  # fmt: skip
    return row | more


def never(item_id: str = "n1", **more: Any) -> dict[str, Any]:
    """A proactive stream in which the event never comes."""
    return watch(item_id, (10.0, 20.0, 30.0, 40.0), None, **more)


def every() -> list[dict[str, Any]]:
    """One row of each sort, over three videos."""
    return [
        closed("a1"),
        closed("a2", "Yes", ("Yes", "No"), types={"there": "truth"}, video_id="v08"),
        closed("a3", "3", ("1", "2", "3"), types={"n": "number"}),
        closed("a4", "grasper, hook", ("grasper", "grasper, hook", "hook, scissors"),
               types={"tools": "set instrument"}),
        closed("a5", "unanswerable", (*PHASES, "unanswerable"), "future", "phase_next"),
        closed("a6", mode="retrospective", name="phase_past", video_id="v08"),
        free("b1"),
        free("b2", "retrospective", answer="unanswerable"),
        stream("s1", video_id="v08"),
        stream("s2", open_=True),
        watch("w1"),
        never("w2"),
    ]  # fmt: skip
