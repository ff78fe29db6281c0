"""Convert rows of clips, from any kind of file, to the clips of each video."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from surgqa.ontology.action_clips import Clip, VideoClips
from surgqa.ontology.next_actions import action_named, next_actions
from surgqa.ontology.records import Books, Code, Rejected


@dataclass(frozen=True, slots=True)
class ImportedClips:
    """The contents of a file of clips.

    Attributes:
        videos: the videos, in the order of their names.
        rejected: clips that were left out, with reasons. Repaired clips, which were kept, are in
            the findings.
        books: in clips.
    """

    videos: tuple[VideoClips, ...]
    rejected: tuple[Rejected, ...]
    books: Books


class ImportLedger:
    """Records what was left out of a file, and why."""

    def __init__(self) -> None:
        self.entries: list[Rejected] = []

    def reject(self, video: str, code: Code, reason: str, where: str) -> None:
        """A clip that is not taken."""
        self.entries.append(Rejected("read", video, code, reason, where))

    def note(self, video: str, code: Code, reason: str, where: str) -> None:
        """Record a clip that is kept although something about it is unusual."""
        self.entries.append(Rejected("read", video, code, reason, where, outcome="repaired"))

    @property
    def lost(self) -> int:
        """Clips that were not taken."""
        return sum(one.count for one in self.entries if one.outcome == "rejected")


def action_or_reject(name: object, video: str, where: str, ledger: ImportLedger) -> str | None:
    """Return the action of that name, by any of its spellings."""
    action = action_named(name) if isinstance(name, str) else None
    if action is None:
        known = ", ".join(one.display for one in next_actions())
        reason = f"{name!r} is none of the actions; known are {known}"
        ledger.reject(video, Code.UNKNOWN_LABEL, reason, where)
    return action


def in_order(video: str, clips: Iterable[Clip], ledger: ImportLedger) -> tuple[Clip, ...]:
    """Return the clips by start.

    A clip that overlaps an earlier clip is left out, and a repetition is noted.
    """
    out: list[Clip] = []
    for clip in sorted(clips, key=lambda one: (one.start, one.end, one.where)):
        if out and clip.start <= out[-1].end:
            reason = (
                f"frames {clip.start} to {clip.end} overlap {out[-1].start} to {out[-1].end} of "
                f"{out[-1].where}"
            )
            ledger.reject(video, Code.CONTRADICTION, reason, clip.where)
            continue
        out.append(clip)
    made = VideoClips(video, tuple(out))
    for k in made.repeats:
        reason = f"{out[k].action} follows {out[k].action}; such clips stay apart"
        ledger.note(video, Code.CONTRADICTION, reason, out[k].where)
    return made.clips
