"""Read action clips from a file that a setting of the run names, and add them to the evidence.

The file is a table, CSV or Parquet, or the JSON of LLM-SAP, the predecessor of a benchmark. Its
clips become spans of the kind :data:`KIND`. A frame in the file is a second of the video.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from surgqa.ontology.action_clips import CONTEXT, KIND, Clip
from surgqa.ontology.errors import Mismatched, RowInvalid, UserError
from surgqa.ontology.files import read_bytes
from surgqa.ontology.keys import bytes_digest
from surgqa.ontology.records import Books, Clock, Code, Rejected, Source, Span, Video, VideoEvidence
from surgqa.ontology.times import SECOND_US
from surgqa.transforms.places import Place
from surgqa.transforms.readers.base.intervals import sorted_spans
from surgqa.transforms.steps.beside import without
from surgqa.transforms.steps.beside.clip_tables import ImportedClips, read_clip_table
from surgqa.transforms.steps.beside.predecessor import read_predecessor

UNIT = "action clips"

_NUMBERED = re.compile(r"(.*?)[ _-]*0*([0-9]+)")
_SAYS_NOTHING = ("", "v", "vid", "video")
"""Words before a video's number, such as ``video`` in ``video01``; lists differ in them."""


@dataclass(frozen=True, slots=True)
class ClipFile:
    """A file of clips that was read; positions in the file are stated without its folder.

    Attributes:
        name: name of the file.
        sha256: SHA-256 of the file's bytes.
    """

    name: str
    sha256: str
    read: ImportedClips

    @property
    def videos(self) -> tuple[str, ...]:
        """Every video with a clip in the file, even if all its clips were rejected."""
        names = {one.video for one in self.read.videos} | {one.key for one in self.read.rejected}
        return tuple(sorted(names - {""}))


def read_clips(path: Place, ends: Mapping[str, int] | None = None) -> ClipFile:
    """Read the clips of a file; the end of its name tells the format.

    Args:
        path: local or in remote storage.
        ends: last frame of the time that questions about each video may use, which the JSON of the
            predecessor does not state.

    Raises:
        SourceMissing: there is no such file.
        SourceBroken: the file cannot be read, or none of its clips can be used.
        UserError: the file's name ends neither in ``.csv``, ``.parquet`` nor ``.json``.
    """
    data, name = read_bytes(path, str(path)), path.name
    try:
        known = (
            read_predecessor(data, name, ends) if name.endswith(".json")
            else read_clip_table(data, name)
        )  # fmt: skip
    except UserError as error:
        where = str(path) + (error.where or "").removeprefix(name)
        raise type(error)(
            error.summary, expected=error.expected, found=error.found, where=where, fix=error.fix
        ) from None
    return ClipFile(name, bytes_digest(data), known)


def check_clips(path: Place, video_ids: Sequence[str]) -> None:
    """Check before a run that a file of clips is about any video of the run.

    Raises:
        SourceMissing, SourceBroken, UserError: as :func:`read_clips`.
        UserError: the file is about none of the videos, or has no clip.
    """
    held = read_clips(path)
    nameless = [one for one in held.read.rejected if not one.key]
    if nameless:
        raise RowInvalid(
            f"{held.name} has a clip without a video", expected="a video in every row",
            where=nameless[0].where, fix="name the video, or take the row out",
        )  # fmt: skip
    if not any(names_of(video_id, held.videos) for video_id in video_ids):
        raise Mismatched(
            f"{held.name} has clips of none of these videos",
            expected=_some(video_ids), found=_some(held.videos), where=str(path),
            fix="name the videos in the file as the dataset does",
        )  # fmt: skip


def of_no_video(path: Place, video_ids: Sequence[str]) -> tuple[Rejected, ...]:
    """Return a rejection for each video that the file names and the dataset does not have.

    Raises:
        SourceMissing, SourceBroken, UserError: as :func:`read_clips`.
    """
    held = read_clips(path)
    known = {name for video_id in video_ids for name in names_of(video_id, held.videos)}
    why = "the file of action clips names this video, and the dataset here does not have it"
    return tuple(
        Rejected("plan", name, Code.NO_EVIDENCE, why, held.name)
        for name in sorted(held.videos)
        if name not in known
    )


def with_action_clips(evidence: VideoEvidence, path: Place) -> VideoEvidence:
    """Return the evidence of a video with the clips of a file instead of its own clips.

    If the file does not name the video, a rejection records this.

    Raises:
        SourceMissing, SourceBroken, UserError: as :func:`read_clips`.
    """
    video = evidence.video
    held = read_clips(path)
    names = names_of(video.video_id, held.videos)
    if len(names) != 1:
        why = "the file of action clips does not name this video: its labels are used instead"
        if names:
            why = f"the file of action clips may mean this video by {_some(names)}: none is used"
        code = Code.CONTRADICTION if names else Code.NO_EVIDENCE
        return without(evidence, "files of action clips", held.name, why, code)
    last = _last_of_context(evidence)
    if last is not None:
        held = read_clips(path, {names[0]: last})
    mine = [one for one in held.read.videos if one.video == names[0]]
    clips = [clip for one in mine for clip in one.clips]
    entries = [replace(one, key=video.key) for one in held.read.rejected if one.key == names[0]]
    lost = sum(one.count for one in entries if one.outcome == "rejected")
    spans, changed = _spans(video, clips, held.name)
    if any(one.open_end for one in mine):
        why = "where the last clip ends is not known: it stands as one second"
        changed.append(_note(video, Code.BAD_TIME, why, clips[-1].where))
    refused = sum(one.count for one in changed if one.outcome == "rejected")
    others = [span for span in evidence.spans if span.kind != KIND]
    return replace(
        evidence,
        video=replace(video, sources=(*video.sources, Source(held.name, held.sha256))),
        spans=sorted_spans([*others, *spans]),
        rejected=(*evidence.rejected, *entries, *changed),
        books=(*evidence.books,
               Books("read", UNIT, len(clips) + lost, len(spans), lost + refused)),
    )  # fmt: skip


def names_of(video_id: str, names: Iterable[str]) -> list[str]:
    """Return those of ``names`` that can mean a video.

    These are its id or, without one, names that differ only in case, or in the word before the
    number: ``VID01``, ``video01`` and ``1`` are equal. Several names mean that it is not clear.
    """
    known = list(names)
    for form in (str, str.casefold, _numbered):
        found = [name for name in known if form(name) == form(video_id)]
        if found:
            return found
    return []


def _numbered(name: str) -> tuple[str, str]:
    parts = _NUMBERED.fullmatch(name.casefold())
    if parts is None:
        return name.casefold(), ""
    return "" if parts[1] in _SAYS_NOTHING else parts[1], parts[2]


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:8]) + (" …" if len(names) > 8 else "")


def _last_of_context(evidence: VideoEvidence) -> int | None:
    """Return the last second of the phases that action clips lie in; None without phases."""
    ends = [
        span.end_us for span in evidence.spans if span.kind == "phase" and span.label in CONTEXT
    ]
    return -(-max(ends) // SECOND_US) - 1 if ends else None


def _spans(video: Video, clips: Sequence[Clip], name: str) -> tuple[list[Span], list[Rejected]]:
    """Return the clips as spans within the recording, and a record of those that were cut."""
    out, changed = list[Span](), list[Rejected]()
    for clip in clips:
        start_us, end_us = clip.start * SECOND_US, (clip.end + 1) * SECOND_US
        seconds = f"seconds {clip.start} to {clip.end}"
        if video.clock != Clock.TIME:
            why = "the dataset does not tell when its pictures were taken"
            changed.append(Rejected("read", video.key, Code.NO_CLOCK, why, clip.where))
        elif start_us >= video.duration_us:
            why = f"{seconds} lie behind the end of the recording"
            changed.append(Rejected("read", video.key, Code.BAD_TIME, why, clip.where))
        else:
            if end_us > video.duration_us:
                why = f"{seconds} run on behind the end of the recording, and end there"
                changed.append(_note(video, Code.BAD_TIME, why, clip.where))
                end_us = -(-video.duration_us // SECOND_US) * SECOND_US
            out.append(Span(KIND, clip.action, start_us, end_us, name, _pointer(clip, name)))
    return out, changed


def _note(video: Video, code: Code, reason: str, where: str) -> Rejected:
    return Rejected("read", video.key, code, reason, where, 1, "repaired")


def _pointer(clip: Clip, name: str) -> str:
    """Return the position in the file: a line, a row, or video and clip."""
    return clip.where.removeprefix(name).strip(": ")
