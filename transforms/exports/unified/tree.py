"""Converts the evidence of one video to the content of one JSON file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any

import orjson

from surgqa.ontology.knowledge import rules
from surgqa.ontology.times import SECOND_US, frame_to_us, round_half_up, us_to_frame

SIZE = (1000, 1000)
"""Width and height to which boxes are scaled if the size of the frames is unknown."""
RATES = tuple(Fraction(text) for text in ("30", "25", "24", "50", "60", "30000/1001", "60000/1001"))
_FINE = 10**6
Row = Mapping[str, Any]


def seconds(time_us: int) -> int | float:
    """Return microseconds as seconds, with up to six decimals."""
    return time_us // SECOND_US if time_us % SECOND_US == 0 else time_us / SECOND_US


def rate_text(rate: Fraction) -> int | str:
    """Return a frame rate as ``30`` or ``30000/1001``."""
    return rate.numerator if rate.denominator == 1 else str(rate)


def rate_of(video: Row, keys: Iterable[tuple[int, int]]) -> Fraction:
    """Return the frame rate by which frame numbers are converted to times.

    This is the video's frame rate, or a usual rate if only that rate fits all keys: annotations may
    count seconds while the key frames of an anomaly count frames.

    Args:
        keys: frame number and time in microseconds of each key frame.
    """
    own, known = Fraction(video["fps_num"], video["fps_den"]), list(keys)
    for rate in (own, *RATES):
        if all(frame_to_us(frame, rate) == time for frame, time in known):
            return rate
    return own


def frame_at(time_us: int, rate: Fraction) -> int | None:
    """Return the number of the frame that begins exactly at a time, or None."""
    frame = us_to_frame(time_us, rate)
    return frame if frame_to_us(frame, rate) == time_us else None


def pixels(row: Row, size: tuple[int, int]) -> list[Any] | None:
    """Return a row's box as [x, y, width, height] in pixels, without rounding errors, or None."""
    if row["x1"] is None:
        return None
    width, height = size
    left, right = (_pixel(row[name], width) for name in ("x1", "x2"))
    top, bottom = (_pixel(row[name], height) for name in ("y1", "y2"))
    return [_number(side) for side in (left, top, right - left, bottom - top)]


def known_size(video: Row) -> tuple[int, int]:
    """Return width and height in pixels that boxes refer to."""
    return (video["width"], video["height"]) if video["width"] and video["height"] else SIZE


def _pixel(share: float, side: int) -> Fraction:
    """Return a coordinate in pixels, rounded to a millionth if this converts back exactly."""
    exact = Fraction(repr(share)) * side
    rounded = Fraction(round_half_up(exact * _FINE), _FINE)
    return rounded if float(rounded / side) == share else exact


def _number(value: Fraction) -> Any:
    """Return a JSON number with all digits of a fraction."""
    if value.denominator == 1:
        return value.numerator
    digits = 0
    while 10**digits % value.denominator:
        digits += 1
    whole = value.numerator * (10**digits // value.denominator)
    return orjson.Fragment(f"{Decimal(whole).scaleb(-digits):f}")


def lines(value: Any) -> bytes:
    """Return JSON text in which each object of a list is on its own line."""
    if not _deep(value):
        return orjson.dumps(value)
    if isinstance(value, dict):
        parts = [orjson.dumps(key) + b": " + lines(inner) for key, inner in value.items()]
        return b"{" + b",\n".join(parts) + b"}"
    return b"[\n" + b",\n".join(map(lines, value)) + b"\n]"


def _deep(value: Any) -> bool:
    """Return whether a value contains a list of objects."""
    if isinstance(value, dict):
        return any(map(_deep, value.values()))
    return isinstance(value, list) and any(isinstance(inner, dict) for inner in value)


Entry = dict[str, Any]
EVENTS = {"clipped": "clip_placement", "divided": "division", "bleeding": "bleeding_onset",
          "intact": "bleeding_stop"}  # fmt: skip
"""State of a tissue -> the format's name of the change to this state."""


@dataclass(frozen=True, slots=True)
class Tables:
    """The rows of one video in the tables of ``evidence/``."""

    video: Row
    moments: Sequence[Row]
    events: Sequence[Row] = ()
    segments: Sequence[Row] = ()
    labels: Sequence[Row] = ()


@dataclass(slots=True)
class UnifiedDraft:
    """A file that is being built.

    Attributes:
        rate: frame rate for frame numbers.
        size: width and height in pixels that boxes refer to.
        left_out: for each kind, the number of moments that the format cannot represent.
    """

    rate: Fraction
    size: tuple[int, int]
    left_out: Counter[str] = field(default_factory=Counter)

    def entry(self, row: Row, *pairs: tuple[str, Any], box: str = "bbox") -> Entry:
        """Return an entry with the given fields and a row's common fields, without nulls."""
        common = (
            (box, pixels(row, self.size)), ("resolution", seconds(row["resolution_us"])),
            ("origin", row["origin"]), ("group", row["group"]), ("value", row["value"]),
            ("text", row["text"]),
        )  # fmt: skip
        return {name: value for name, value in (*pairs, *common) if value is not None}

    def span(self, row: Row) -> tuple[tuple[str, Any], ...]:
        """Return the fields for start and end in seconds."""
        return ("start", seconds(row["start_us"])), ("end", seconds(row["end_us"]))


def file_of(tables: Tables) -> tuple[dict[str, Any], Counter[str]]:
    """Return the content of a file, and by kind the number of moments that were left out."""
    video = tables.video
    of: dict[str, list[Row]] = {}
    for row in tables.moments:
        of.setdefault(row["kind"], []).append(row)
    keys = [(int(row["value"]), row["start_us"]) for row in of.get("roi", ())]
    draft = UnifiedDraft(rate_of(video, keys), known_size(video))

    def spans(kind: str, label: str = "", who: bool = True, box: str = "bbox") -> list[Entry]:
        """Return entries with a label under this name, who does what to what, and the times."""
        return [
            draft.entry(row, *([(label, row["label"])] if label else []),
                        *(_who(row) if who else ()), *draft.span(row), box=box)
            for row in of.get(kind, ())
        ]  # fmt: skip

    tree = {
        "video_metadata": _metadata(tables, draft),
        "temporal_evidence": {
            "asr_segments": spans("said", who=False),
            "action_onsets": [_action(row, draft) for row in of.get("action", ())],
            "micro_transitions": [_transition(row, draft) for row in of.get("transition", ())],
            "cues": spans("cue", "type"),
            "channels": spans("watched", "channel", who=False),
            "temporal_anchors": _anchors(tables.segments),
        },
        "spatial_evidence": {
            "tool_tracks": _tools(tables.events, draft),
            "tissue_tracks": _tissues(of.get("state", ()), draft),
            "affordances": spans("affordance", "effect", box="contact_bbox"),
            "contacts": spans("contact"),
        },
        "anomaly_evidence": {"anomalies": _anomalies(of, draft)},
        "clinical_context": _context(tables),
    }
    return tree, draft.left_out


def _metadata(tables: Tables, draft: UnifiedDraft) -> Entry:
    video = tables.video
    level = [row["label"] for row in tables.labels if row["kind"] == "experience"]
    metadata = {
        "video_id": video["video_id"], "procedure": video["procedure"],
        "duration": seconds(video["duration_us"]), "specialty": video["specialty"],
        "fps": rate_text(draft.rate), "width": draft.size[0], "height": draft.size[1],
    }  # fmt: skip
    return metadata | ({"surgeon_experience": level[0]} if level else {})


def _who(row: Row) -> tuple[tuple[str, Any], ...]:
    return ("action", row["verb"]), ("tool", row["tool"]), ("tissue", row["target"])


def _action(row: Row, draft: UnifiedDraft) -> Entry:
    times = (
        ("onset_frame", frame_at(row["start_us"], draft.rate)),
        ("onset_time", seconds(row["start_us"])), ("end_time", seconds(row["end_us"])),
    )  # fmt: skip
    return draft.entry(row, *_who(row), *times)


def _transition(row: Row, draft: UnifiedDraft) -> Entry:
    before, _, after = row["label"].partition(">")
    times = (("frame", frame_at(row["start_us"], draft.rate)), ("time", seconds(row["start_us"])),
             ("end_time", seconds(row["end_us"])))  # fmt: skip
    return draft.entry(row, ("tool", row["tool"]), ("from", _deed(before)), ("to", _deed(after)),
                       *times)  # fmt: skip


def _deed(label: str) -> Entry:
    verb, _, target = label.partition(",")
    return {"action": verb, **({"tissue": target} if target else {})}


def _tools(events: Iterable[Row], draft: UnifiedDraft) -> list[Entry]:
    """Return one entry for each track of an instrument, with its labels at each time."""
    tracks: dict[str, Entry] = {}
    for row in events:
        if row["label"] is None:
            continue
        plain = {"tool_id": row["track_id"], "tool_type": row["label"], "timeline": []}
        track = tracks.setdefault(row["track_id"], plain)
        box = pixels(row, draft.size)
        track["timeline"].append({
            "time": seconds(row["time_us"]), **({"bbox": box} if box else {}),
            **({"confidence": row["score"]} if row["score"] not in (None, 1.0) else {}),
        })  # fmt: skip
    return list(tracks.values())


def _tissues(states: Iterable[Row], draft: UnifiedDraft) -> list[Entry]:
    """Return one entry for each tissue and group, with its states.

    Each state becomes an event, and a sample at its start.
    """
    tracks: dict[tuple[str, str], Entry] = {}
    for row in states:
        if row["target"] is None:
            draft.left_out["state"] += 1
            continue
        group = row["group"] or ""
        plain = {**({"track_id": group} if group else {}), "tissue_type": row["target"],
                 "timeline": [], "events": []}  # fmt: skip
        track = tracks.setdefault((row["target"], group), plain)
        start = ("time", seconds(row["start_us"]))
        event = draft.entry(
            row, start, ("event", EVENTS[row["label"]]), ("tool_id", row["tool"]),
            ("state", row["label"]), ("end_time", seconds(row["end_us"])),
        )  # fmt: skip
        event.pop("group", None)
        track["events"].append(event)
        sample = {"time": event["time"], "state": row["label"], "bbox": event.get("bbox")}
        track["timeline"].append({name: one for name, one in sample.items() if one is not None})
    return list(tracks.values())


def _anomalies(of: Mapping[str, Sequence[Row]], draft: UnifiedDraft) -> list[Entry]:
    keys: dict[str, list[Row]] = {}
    for row in of.get("roi", ()):
        keys.setdefault(row["group"], []).append(row)
    out = []
    for row in of.get("anomaly", ()):
        onset = frame_at(row["start_us"], draft.rate)
        if onset is None or row["x1"] is None or not row["group"]:
            draft.left_out["anomaly"] += 1
            continue
        mine = keys.pop(row["group"], [])
        last = max((key["start_us"] for key in mine), default=row["start_us"])
        source = {"tissue": row["target"], "cause": row["text"]}
        out.append({
            "anomaly_id": row["group"], "onset_frame": onset,
            "onset_time": seconds(row["start_us"]), "anomaly_type": row["label"],
            "initial_bbox": pixels(row, draft.size),
            "evolution": [_key(key, draft) for key in mine],
            "source": {name: value for name, value in source.items() if value is not None},
            **({"hemostasis_time": seconds(row["end_us"])} if row["end_us"] != last else {}),
            "origin": row["origin"],
        })  # fmt: skip
    draft.left_out += Counter(roi=sum(map(len, keys.values())))
    return out


def _key(row: Row, draft: UnifiedDraft) -> Entry:
    fields = {"frame": int(row["value"]), "bbox": pixels(row, draft.size), "size": row["text"],
            "state": row["label"]}  # fmt: skip
    return {name: one for name, one in fields.items() if one is not None}


def _anchors(segments: Iterable[Row]) -> list[Entry]:
    """Return the phases that were spoken about."""
    return [
        {"time_range": [seconds(row["start_us"]), seconds(row["end_us"])], "phase": row["label"]}
        for row in segments
        if row["kind"] == "phase_anchor"
    ]


def _context(tables: Tables) -> Entry:
    """Return the phases (with times or only in order), and the rules about their order."""
    phases = [
        {"phase": row["label"], "start": seconds(row["start_us"]), "end": seconds(row["end_us"])}
        for row in tables.segments
        if row["kind"] == "phase"
    ]
    ordered = [row for row in tables.labels if row["kind"] == "phase"]
    names = [row["label"] for row in sorted(ordered, key=lambda row: row["value"])]
    always = {rule.id: True for rule in rules(tables.video["procedure"]) if rule.force == "always"}
    return {"phase_sequence": [*names, *phases], "standard_workflow": always}
