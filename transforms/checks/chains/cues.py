"""Cue-action alignment: what announces a deed, half a second to two seconds before it."""

from __future__ import annotations

from transforms.checks.chains.base import HALF_US, Q1, SECOND_US, Chain, Key, Task, Truth, Value
from transforms.checks.chains.deeds import (
    Deed,
    begun_by,
    deed_named,
    deeds_of,
    moments_of,
    others_alike,
    phase_at,
)
from transforms.checks.chains.names import deeds_in
from transforms.checks.evidence import Moment, VideoView

EARLIEST_US = 2 * SECOND_US
LATEST_US = HALF_US
TOGETHER_US = SECOND_US // 5
CHANNELS = ("tracks", "speech", "camera")

WORDS = (
    ("absent", None, ("does not take place", "does not occur", "does not happen")),
    ("several", None, ("several", "more than one")),
    ("none", None, ("nothing announces", "without any warning", "without warning", "no cue")),
    ("one", "approach", ("moves towards", "approach")),
    ("one", "positioned", ("waits beside", "positioned")),
    ("one", "intent", ("surgeon announces", "is spoken", "intent")),
    ("one", "camera", ("camera",)),
    ("one", None, ("yes", "one cue", "one is visible")),
)
"""(cue, label, words that say so), in the order of looking."""


def truth(chain: Chain) -> Truth:
    """Which cue there is; of several the latest counts."""
    video = chain.video
    deed = deed_named(chain, chain.act("deed"), "deed")
    begun_by(chain, deed)
    cues = cues_of(video, deed)
    latest = cues[-1] if cues else None
    if latest is None:
        _watched(chain, deed)
    named = [other for other in deeds_of(video) if other is not deed and other.act == deed.act]
    point = latest.start_us if latest else deed.start_us
    same = [(cue.start_us, cue.start_us) for cue in cues if cue.start_us != point]
    if latest is None:
        same = [(other.start_us, other.start_us) for other in named]
    return Truth(
        what=_value(cues),
        shown=(min(deed.start_us - EARLIEST_US + 1, point), deed.start_us),
        target=(point, point),
        time_us=deed.start_us,
        resolution_us=deed.resolution_us,
        resolutions=frozenset([deed.resolution_us, *([latest.resolution_us] if latest else [])]),
        key=Key(deed.verb, deed.target, phase=phase_at(video, deed.start_us,
                                                       deed.start_us + 1) or ""),
        same=same,
        also=[other.start_us for other in named],
        twins=[other.stretch for other in others_alike(video, deed)],
        boxes=list(deed.boxes),
    )  # fmt: skip


def cues_of(video: VideoView, deed: Deed) -> list[Moment]:
    """Cues of a deed that begin in the time in which a cue counts, by start."""
    low, high = deed.start_us - EARLIEST_US, deed.start_us - LATEST_US
    found = [
        one
        for one in moments_of(video, "cue")
        if low <= one.start_us <= high and _announces(one, deed)
    ]
    return sorted(found, key=lambda one: one.start_us)


def _announces(cue: Moment, deed: Deed) -> bool:
    """What is known of the cue is the deed's: of speech the verb at least, else the tool."""
    pairs = ((cue.tool, deed.tool), (cue.verb, deed.verb), (cue.target, deed.target))
    agrees = all(not mine or not its or mine == its for mine, its in pairs)
    needed = {"intent": cue.verb, "approach": cue.tool, "positioned": cue.tool}
    return agrees and bool(needed.get(cue.label, "camera"))


def _value(cues: list[Moment]) -> Value:
    if not cues:
        return {"cue": "none", "label": None}
    together = len(cues) > 1 and cues[-1].start_us - cues[0].start_us <= TOGETHER_US
    return {"cue": "several" if together else "one", "label": cues[-1].label}


def _watched(chain: Chain, deed: Deed) -> None:
    """That there is no cue is known only of what was watched all the way."""
    low, high = deed.start_us - EARLIEST_US, deed.start_us - LATEST_US
    for channel in CHANNELS:
        spans = sorted(
            (one.start_us, one.end_us)
            for one in moments_of(chain.video, "watched")
            if one.label == channel
        )
        at = low
        for start, end in spans:
            if start <= at:
                at = max(at, end)
        begun = any(start <= low <= end for start, end in spans)
        chain.note("cue_unwatched", Q1, f"{channel} from {low} to {high}", not begun or at < high)


def read(_: Chain, __: Truth, text: str) -> Value | None:
    """What a text says of cues, None where it says nothing."""
    folded = text.casefold()
    for cue, label, words in WORDS:
        if any(one in folded for one in words):
            return {"cue": cue, "label": label}
    return None


def holds(_: Chain, truth: Truth, value: Value) -> bool:
    """A text that names no kind of cue speaks of any."""
    if value["cue"] != truth.what["cue"]:
        return False
    return value["label"] is None or value["label"] == truth.what["label"]


def told(chain: Chain, truth: Truth, text: str) -> bool:
    """A context names the deed, and the cue that counts or that there is none."""
    found = read(chain, truth, text)
    act = chain.act("deed")
    if found is None or not any(deed.means(*act) for deed in deeds_in(text)):
        return False
    if truth.what["cue"] == "none" or found["cue"] == "none":
        return found["cue"] == truth.what["cue"]
    return found["label"] in (None, truth.what["label"]) and found["cue"] != "absent"


CUES = Task(truth, read, holds, told)
