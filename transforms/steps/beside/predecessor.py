"""Read the annotation file of LLM-SAP, the predecessor of a benchmark of action planning.

``{video: {clip: {Action, Frame_id, Test, ...}}}``: a clip begins at second ``Frame_id`` and ends
before the next one; the end of a video's last clip is not stated. A clip with ``Test`` belongs to a
test question and repeats what other clips say; contradictions are noted. A test question lists
seven frames near the answer; the seventh is the first frame of the answer and is not used.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from surgqa.ontology.action_clips import Clip, VideoClips
from surgqa.ontology.errors import SourceBroken
from surgqa.ontology.json_text import read_tree
from surgqa.ontology.next_actions import action_named
from surgqa.ontology.records import Code
from surgqa.transforms.steps.beside.clip_tables import (
    ImportedClips,
    ImportLedger,
    action_or_reject,
    imported,
    in_order,
    whole,
)

NEAR = 6
"""Number of frames near the answer: evenly spaced over the clip before it, from its start to its
last frame. The file lists one more, which is the answer's first frame."""
_TRUE = (True, 1, "1", "true", "yes")


@dataclass(frozen=True, slots=True)
class _Entry:
    where: str
    cells: Mapping[str, Any]

    @property
    def tested(self) -> bool:
        flag = self.cells.get("Test")
        return (flag.strip().lower() if isinstance(flag, str) else flag) in _TRUE


def read_predecessor(
    data: bytes, name: str, ends: Mapping[str, int] | None = None
) -> ImportedClips:
    """Return the clips in an annotation file of LLM-SAP.

    Args:
        ends: last frame of the time that questions about each video may use, if it is known.

    Raises:
        SourceBroken: the file is not JSON, has another structure, or has no clip.
    """
    tree = _objects(read_tree(data, name), name, "the file", "an object of videos")
    ledger, videos, read = ImportLedger(), list[VideoClips](), 0
    for video in sorted(tree):
        where = f"{name}: {video}"
        clips = _objects(tree[video], where, f"video {video}", "an object of clips")
        read += len(clips)
        videos += _video(video, list(_entries(clips, where)), ends or {}, ledger)
    expected = '{"VID01": {"0": {"Action": "Dissection", "Frame_id": 120, …}}}'
    return imported(videos, read, ledger, name, expected)


def _objects(value: Any, where: str, what: str, expected: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise SourceBroken(
            f"{what} is not {expected}", expected=expected, found=type(value).__name__, where=where
        )
    return value


def _entries(clips: Mapping[str, Any], where: str) -> Iterator[_Entry]:
    """Yield the clips sorted by their number; clips without a number come last."""
    for key in sorted(clips, key=lambda k: (whole(k) is None, whole(k) or 0, k)):
        what = f"clip {key}"
        expected = "an object with Action and Frame_id"
        yield _Entry(f"{where} {key}", _objects(clips[key], f"{where} {key}", what, expected))


def _video(
    name: str, entries: list[_Entry], ends: Mapping[str, int], ledger: ImportLedger
) -> list[VideoClips]:
    """Return the clips of a video; a clip with an unknown action is left out with a reason."""
    known = [(one, _start(one)) for one in entries]
    for (_, a), (after, b) in pairwise(known):
        if b <= a:
            raise SourceBroken(
                f"the clips of {name} are not in order of time", expected=f"Frame_id after {a}",
                found=str(b), where=after.where, fix="number the clips by their Frame_id",
            )  # fmt: skip
    nexts = [start for _, start in known[1:]]
    last = known[-1][1] if known else -1
    end_known = ends.get(name)
    if known and end_known is not None and end_known < last:
        reason = f"the context is said to end on {end_known}, before the last clip begins"
        ledger.note(name, Code.CONTRADICTION, reason, known[-1][0].where)
        end_known = None
    final = last if end_known is None else end_known
    clips, by_start = list[Clip](), dict[int, _Entry]()
    for (one, start), end in zip(known, [*(n - 1 for n in nexts), final], strict=True):
        action = action_or_reject(one.cells.get("Action"), name, one.where, ledger)
        if action is not None:
            clips.append(Clip(start, end, action, where=one.where))
            by_start[start] = one
    if not clips:
        return []
    taken = in_order(name, clips, ledger)
    open_end = end_known is None and taken[-1].start == last
    _compare(name, taken, by_start, ledger)
    return [VideoClips(name, taken, open_end)]


def _start(one: _Entry) -> int:
    """Return the first frame of a clip; the clip before ends there."""
    start = whole(one.cells.get("Frame_id"))
    if start is None:
        raise SourceBroken(
            "a clip does not say when it begins", expected="Frame_id, a whole second from 0",
            found=repr(one.cells.get("Frame_id", "no Frame_id")), where=one.where,
        )  # fmt: skip
    return start


def _compare(
    video: str, clips: Sequence[Clip], by_start: Mapping[int, _Entry], ledger: ImportLedger
) -> None:
    """Record where a test clip contradicts the other clips."""
    for k, clip in enumerate(clips):
        one = by_start[clip.start]
        if not one.tested:
            continue
        reasons = _contradictions(one, clip, clips[k - 1], by_start) if k else [
            "the first clip of a video has no current frame, so it cannot be asked about"
        ]  # fmt: skip
        for reason in reasons:
            ledger.note(video, Code.CONTRADICTION, reason, one.where)


def _contradictions(
    one: _Entry, clip: Clip, previous: Clip, by_start: Mapping[int, _Entry]
) -> Iterator[str]:
    said = one.cells.get("Next Action")
    if isinstance(said, str) and action_named(said) != clip.action:
        yield f"Next Action is {said}, the clip's Action {clip.action}"
    nearest, before = one.cells.get("Nearest Action"), by_start[previous.start].cells
    if isinstance(nearest, str) and nearest not in (before["Action"], before.get("Action_Reg")):
        yield f"Nearest Action is {nearest}, the Action before it {before['Action']}"
    near, wide = one.cells.get("Near Frames"), clip.start - 1 - previous.start
    ours = [*(previous.start + k * wide // (NEAR - 1) for k in range(NEAR)), clip.start]
    if isinstance(near, list) and [whole(frame) for frame in near] != ours:
        yield f"Near Frames are {near}, by their rule {ours}"
