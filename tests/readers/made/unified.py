"""Write a small sample in SurgCoT's unified JSON; all its data are made up.

Each video is a short cholecystectomy whose events start at whole frames: dissection, clipping,
cutting, cues before some actions, and one anomaly or the statement that there is none.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from surgqa.ontology.moments import Moment, moment_order
from surgqa.ontology.records import (
    Books,
    Code,
    Media,
    MediaKind,
    Rejected,
    Source,
    Span,
    Video,
    VideoEvidence,
    VideoLabel,
)
from tests.readers.made.truth import Instance, Truth, put, true_table, true_video
from tests.readers.made.unified_script import (
    ACTIONS,
    CONTACTS,
    CUES,
    EFFECTS,
    EVENTS,
    NAMES,
    NO_TIME,
    OVER_EDGE,
    PHASES,
    SAID,
    SECONDS,
    STATES,
    STEP_S,
    TRANSITIONS,
    UNKNOWN_WORD,
    WATCHED,
    WRONG_TIME,
    Case,
    cases,
)

POINTER = "spatial_evidence.tool_tracks, frame {frame}, track {row}"


@dataclass(slots=True)
class Draft:
    """The JSON to write, and the evidence that a reader must find in it."""

    case: Case
    tree: dict[str, Any]
    moments: list[Moment] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    entries: int = 0

    @property
    def file(self) -> str:
        return f"{self.case.name}.json"

    def add(self, section: str, name: str, entry: Mapping[str, Any]) -> str:
        """Add an entry and return its position."""
        there = self.tree.setdefault(section, {}).setdefault(name, [])
        there.append(entry)
        self.entries += 1
        return f"{section}.{name}[{len(there) - 1}]"

    def moment(self, kind: str, label: str, start: int, end: int, place: str, **more: Any) -> None:
        """Add a moment between two frames to the expected evidence."""
        case = self.case
        self.moments.append(Moment(kind, label, case.us(start), case.us(end), case.us(1),
                                   self.file, place, **more))  # fmt: skip

    def odd(self, code: Code, place: str, outcome: str = "rejected") -> None:
        """Expect that something is rejected or repaired."""
        where = f"{self.file} {place}"
        self.rejected.append(Rejected("read", f"unified/{self.case.name}", code, "", where, 1,
                                      outcome))  # fmt: skip


def write(root: Path, *, procedures: int = 3, variant: int = 0) -> Truth:
    """Write the files of the sample; return the evidence that a reader must find in them.

    Args:
        root: an existing folder.
        procedures: number of videos, 1 to 3.
        variant: shifts events; each of its bits makes one thing in the first file wrong.
    """
    root = Path(root)
    return tuple(_video(root, case, variant if number == 0 else 0)
                 for number, case in enumerate(cases(variant)[:procedures]))  # fmt: skip


def _video(root: Path, case: Case, variant: int) -> VideoEvidence:
    draft = Draft(case, {"video_metadata": _metadata(case)})
    seen = _tools(draft)
    _said(draft)
    _actions(draft, variant)
    _transitions(draft)
    _cues(draft)
    _affordances(draft, variant)
    _contacts(draft)
    _channels(draft)
    _tissues(draft)
    _anomalies(draft, variant)
    _context(draft)
    text = _text(draft.tree)
    source = put(root, draft.file, text)
    frames = sorted(seen)
    labels = tuple(sorted({one.label for here in seen.values() for one in here}))
    table = true_table([case.us(frame) for frame in frames], frames,
                       [seen[frame] for frame in frames], labels, POINTER)  # fmt: skip
    lost = sum(entry.outcome == "rejected" for entry in draft.rejected)
    place = f"{draft.file} video_metadata.surgeon_experience"
    return VideoEvidence(
        _header(case, source, labels), table, tuple(draft.spans), tuple(draft.rejected),
        (Books("read", "entries", draft.entries, draft.entries - lost, lost),),
        (VideoLabel("experience", "expert", None, "", draft.file, place),),
        moments=tuple(sorted(draft.moments, key=moment_order)),
    )  # fmt: skip


def _metadata(case: Case) -> dict[str, Any]:
    stated = {"fps": case.fps, "width": case.size[0], "height": case.size[1]}
    return {
        "video_id": case.name, "procedure": "Laparoscopic Cholecystectomy", "duration": SECONDS,
        "surgeon_experience": "expert", **(stated if case.stated else {}),
    }  # fmt: skip


def _tools(draft: Draft) -> dict[int, list[Instance]]:
    """Boxes of all tools by frame: the grasper always, other tools around their actions."""
    case, tools = draft.case, sorted({action[0] for action in ACTIONS})
    step = int(STEP_S * case.fps)
    seen: dict[int, list[Instance]] = {}
    tracks = []
    for number, tool in enumerate(tools):
        timeline = []
        for frame in range(0, SECONDS * case.fps, step):
            if tool == "grasper" or _busy(case, tool, frame):
                box = _place(case, number, frame)
                timeline.append({"frame": frame, "bbox": list(box)})
                seen.setdefault(frame, []).append(
                    Instance(tool, _unit(case, box), None, number, number)
                )
        draft.entries += len(timeline)
        tracks.append({"tool_id": f"{_name(tool)}_{number}", "tool_type": _name(tool),
                       "timeline": timeline})  # fmt: skip
    draft.tree["spatial_evidence"] = {"tool_tracks": tracks}
    return seen


def _busy(case: Case, tool: str, frame: int) -> bool:
    """Whether a tool is in view: from 1.4 s before its actions to 0.6 s after them."""
    return any(
        case.frame(start) - 7 * case.fps // 5 <= frame < case.frame(end) + 3 * case.fps // 5
        for name, _, _, start, end in ACTIONS
        if name == tool
    )


def _place(case: Case, number: int, frame: int) -> tuple[int, int, int, int]:
    """A box that moves back and forth."""
    width, height = case.size
    turn = abs(frame * 7 // case.fps + 90 * number) % 200
    way = turn if turn < 100 else 200 - turn
    return (width * (20 + way // 2 + 3 * number) // 160, height * (30 + way // 3) // 120,
            width // 8, height // 6)  # fmt: skip


def _unit(case: Case, box: Sequence[int]) -> tuple[float, float, float, float]:
    x, y, w, h = box
    width, height = case.size
    return x / width, y / height, (x + w) / width, (y + h) / height


def _said(draft: Draft) -> None:
    case = draft.case
    for start, end, text in SAID:
        first, last = case.frame(start), case.frame(end)
        place = draft.add("temporal_evidence", "asr_segments", {
            "start_frame": first, "end_frame": last, "text": text,
        })  # fmt: skip
        draft.moment("said", "", first, last, place, text=text)


def _actions(draft: Draft, variant: int) -> None:
    case = draft.case
    for tool, verb, target, start, end in ACTIONS:
        first, last = case.frame(start), case.frame(end)
        entry = {**_who(tool, verb, target), "onset_frame": first,
                 "onset_time": round(first / case.fps, 2), "end_frame": last}  # fmt: skip
        box = _place(case, 3, first)
        place = draft.add("temporal_evidence", "action_onsets", {**entry, "bbox": list(box)})
        draft.moment("action", verb, first, last, place, tool=tool, verb=verb, target=target,
                     box_xyxy=_unit(case, box))  # fmt: skip
    if variant & UNKNOWN_WORD:
        odd = {**_who("hook", "juggle", "liver"), "onset_frame": 3000}
        draft.odd(Code.UNKNOWN_LABEL, draft.add("temporal_evidence", "action_onsets", odd))
    if variant & WRONG_TIME:
        odd = {**_who("hook", "dissect", "liver"), "onset_frame": 3000, "onset_time": 100.1}
        draft.odd(Code.CONTRADICTION, draft.add("temporal_evidence", "action_onsets", odd))


def _transitions(draft: Draft) -> None:
    case = draft.case
    for before, after in TRANSITIONS:
        tool, verb, target, start, _ = ACTIONS[after]
        _, old_verb, old_target, _, _ = ACTIONS[before]
        first = case.frame(start)
        place = draft.add("temporal_evidence", "micro_transitions", {
            "frame": first, "time": round(first / case.fps, 2), "tool": _name(tool),
            "from": {"action": _name(old_verb), "tissue": old_target},
            "to": {"action": _name(verb), "tissue": target},
        })  # fmt: skip
        label = f"{old_verb},{old_target}>{verb},{target}"
        draft.moment("transition", label, first, first, place, tool=tool, verb=verb, target=target)


def _cues(draft: Draft) -> None:
    case = draft.case
    for cue, number, early, length in CUES:
        tool, verb, target, start, _ = ACTIONS[number]
        begins = Fraction(start) + Fraction(early)
        first, last = (case.frame(str(t)) for t in (begins, begins + Fraction(length)))
        place = draft.add("temporal_evidence", "cues", {
            "type": cue, **_who(tool, verb, target), "start_frame": first, "end_frame": last,
        })  # fmt: skip
        draft.moment("cue", cue, first, last, place, tool=tool, verb=verb, target=target)


def _affordances(draft: Draft, variant: int) -> None:
    case = draft.case
    for number, (tool, verb, target, start, end) in enumerate(ACTIONS):
        first, last = case.frame(start), case.frame(end)
        box = _place(case, 5, first)
        over = bool(variant & OVER_EDGE) and number == 3
        box_written = [box[0], box[1], case.size[0], box[3]] if over else list(box)
        place = draft.add("spatial_evidence", "affordances", {
            **_who(tool, verb, target), **({"effect": EFFECTS[verb]} if number % 2 else {}),
            "start_frame": first, "end_frame": last, "contact_bbox": box_written,
        })  # fmt: skip
        x1, y1, x2, y2 = _unit(case, box)
        draft.moment("affordance", EFFECTS[verb], first, last, place, tool=tool, verb=verb,
                     target=target, box_xyxy=(x1, y1, 1.0 if over else x2, y2))  # fmt: skip
        if over:
            draft.odd(Code.BAD_BOX, place, "repaired")


def _contacts(draft: Draft) -> None:
    case = draft.case
    for number in CONTACTS:
        tool, _, target, start, end = ACTIONS[number]
        first, last = case.frame(start), case.frame(end)
        place = draft.add("spatial_evidence", "contacts", {
            "tool": _name(tool), "tissue": target, "start_frame": first, "end_frame": last,
        })  # fmt: skip
        draft.moment("contact", "", first, last, place, tool=tool, target=target)


def _channels(draft: Draft) -> None:
    for channel in WATCHED:
        place = draft.add("temporal_evidence", "channels", {
            "channel": channel, "start_frame": 0, "end": SECONDS,
        })  # fmt: skip
        draft.moment("watched", channel, 0, SECONDS * draft.case.fps, place)


def _tissues(draft: Draft) -> None:
    """Tracks of tissues that are clipped and divided: a sample every 2 s, and the events."""
    case, tracks = draft.case, []
    for number, target in enumerate(("cystic_artery", "cystic_duct")):
        turns = [(case.frame(str(Fraction(ACTIONS[action][3]) + Fraction(late))), state, action)
                 for action, late, state in STATES if ACTIONS[action][2] == target]  # fmt: skip
        last = 96 * case.fps
        timeline = [
            {"frame": frame, "state": next((s for f, s, _ in reversed(turns) if f <= frame),
                                           "intact"), "bbox": list(_place(case, 7, frame))}
            for frame in range(60 * case.fps, last + 1, 2 * case.fps)
        ]  # fmt: skip
        place = f"spatial_evidence.tissue_tracks[{number}].events"
        events = []
        for at, (frame, state, action) in enumerate(turns):
            tool = ACTIONS[action][0]
            events.append({"frame": frame, "time": round(frame / case.fps, 2),
                           "event": EVENTS[state], "tool_id": f"{_name(tool)}_9"})  # fmt: skip
            end = turns[at + 1][0] if at + 1 < len(turns) else None
            draft.moment("state", state, frame, end or frame, f"{place}[{at}]", tool=tool,
                         target=target, group=f"t{number}")  # fmt: skip
            if end is None:
                _until(draft, case.us(last) + case.us(1))
        draft.entries += len(timeline) + len(events)
        tracks.append({"track_id": f"t{number}", "tissue_type": target, "timeline": timeline,
                       "events": events})  # fmt: skip
    draft.tree["spatial_evidence"]["tissue_tracks"] = tracks


def _until(draft: Draft, end_us: int) -> None:
    """Let the last moment end at a given time."""
    draft.moments[-1] = replace(draft.moments[-1], end_us=end_us)


def _anomalies(draft: Draft, variant: int) -> None:
    case = draft.case
    draft.tree["anomaly_evidence"] = {"anomalies": []}
    if case.anomaly is None:
        return
    kind, tissue, cause, keys, control = case.anomaly
    first = keys[0]
    entry = {
        "anomaly_id": "a1", "onset_frame": first.frame,
        "onset_time": round(first.frame / case.fps, 2), "anomaly_type": _name(kind),
        "initial_bbox": list(first.box),
        "evolution": [{"frame": key.frame, "bbox": list(key.box), "size": key.size,
                       "state": key.state} for key in keys],
        "source": {"tissue": tissue, "cause": cause}, "hemostasis_time": float(control),
    }  # fmt: skip
    place = draft.add("anomaly_evidence", "anomalies", entry)
    draft.moment("anomaly", kind, first.frame, first.frame, place, target=tissue, text=cause,
                 box_xyxy=_unit(case, first.box), group="a1")  # fmt: skip
    _until(draft, int(control * 1_000_000))
    for key in keys:
        draft.moment("roi", key.state, key.frame, key.frame, place, target=tissue, text=key.size,
                     box_xyxy=_unit(case, key.box), group="a1", value=float(key.frame))  # fmt: skip
    if variant & NO_TIME:
        odd = {**entry, "anomaly_id": "a2", "onset_time": "soon"}
        draft.odd(Code.BAD_ROW, draft.add("anomaly_evidence", "anomalies", odd))


def _context(draft: Draft) -> None:
    case = draft.case
    for name, start, end in PHASES:
        place = draft.add("clinical_context", "phase_sequence", {
            "phase": _name(name), "start": start, "end": end,
        })  # fmt: skip
        us = 1_000_000
        draft.spans.append(Span("phase", name, start * us, end * us, draft.file,
                                f"{case.name}.json {place}"))  # fmt: skip
    draft.tree["clinical_context"] |= {
        "critical_structures": ["cystic_duct", "cystic_artery"],
        "standard_workflow": {"clip_before_divide": True, "identify_before_dissect": True},
    }


def _header(case: Case, source: Source, labels: tuple[str, ...]) -> Video:
    return true_video(
        "unified", case.name, "laparoscopic cholecystectomy", "general surgery",
        "that of the recordings", (source,), fps=Fraction(case.fps),
        period_us=int(STEP_S * 1_000_000), duration_us=SECONDS * 1_000_000,
        media=Media(MediaKind.ABSENT, None, *case.size), split_group=f"unified/{case.name}",
        vocabulary=labels,
    )  # fmt: skip  # fmt: skip


def _who(tool: str, verb: str, target: str) -> dict[str, str]:
    return {"action": _name(verb), "tool": _name(tool), "tissue": target}


def _name(concept: str) -> str:
    return NAMES.get(concept, concept)


def _text(value: Any) -> str:
    """JSON text with one line for each entry of a list."""
    if isinstance(value, dict) and any(isinstance(v, dict | list) for v in value.values()):
        if not any(isinstance(v, dict) or v and isinstance(v, list) and isinstance(v[0], dict)
                   for v in value.values()):  # fmt: skip
            return json.dumps(value)
        parts = [f"{json.dumps(key)}: {_text(inner)}" for key, inner in value.items()]
        return "{" + ",\n".join(parts) + "}"
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n" + ",\n".join(map(_text, value)) + "]"
    return json.dumps(value)
