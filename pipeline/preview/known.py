"""Facts of videos from which a preview makes questions: sample videos, or the user's files."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from pathlib import Path

from surgqa.ontology.items import Item
from surgqa.ontology.kinds import kind_names
from surgqa.ontology.records import Rejected, VideoEvidence
from surgqa.transforms.algebra.tree import Pattern
from surgqa.transforms.algebra.walk import every
from surgqa.transforms.evidence.observers import observed, observers_of
from surgqa.transforms.language.program import Program
from surgqa.transforms.questions.ask import Asker
from surgqa.transforms.questions.units import Units, clips
from surgqa.transforms.registry import datasets, load_reader, load_sample
from surgqa.transforms.timeline import Timeline, build_timeline
from surgqa.transforms.timeline.relation import Relation
from surgqa.transforms.timeline.relation.bank import BANK
from surgqa.transforms.timeline.relation.gather import relation_of
from surgqa.transforms.windows import cut_clips

SEED = "42"

USER_DATA = ("exports", "observed", "tables")
"""Readers for user-supplied data. Their samples do not represent a public dataset, so they are
skipped."""

Recording = tuple[VideoEvidence, Timeline | None]
"""The annotations of a video, with linked instruments."""

FEW = 3
"""Number of videos that are read from the user's files if none is named."""


@dataclass(frozen=True, eq=False)
class PreviewFacts:
    """The facts and clips of one video, as in a build."""

    key: str
    relation: Relation
    clips: Units

    def has(self, name: str) -> bool:
        """Return whether the video has facts of a kind; kinds of the knowledge bank always have."""
        codes = self.relation.kind_codes([name])
        return name in BANK or bool(set(self.relation.facts.kind.tolist()) & set(codes))


def known_of(recording: Recording) -> PreviewFacts:
    """Return the facts of a video, including derived ones as in a build, and its clips."""
    evidence, timeline = recording
    evidence = observed(evidence, observers_of(kind_names()))
    windows = () if timeline is None else cut_clips(
        evidence.video, timeline.table.instants_us).windows  # fmt: skip
    relation = relation_of([(evidence, timeline)])
    return PreviewFacts(evidence.video.key, relation, clips([(0, window) for window in windows]))


@cache
def sample_known(dataset: str) -> tuple[PreviewFacts, ...]:
    """Return the facts of each video of a dataset's synthetic sample.

    Raises:
        UserError: there is no such dataset.
    """
    with tempfile.TemporaryDirectory() as folder:
        load_sample(dataset)(Path(folder))
        reader = load_reader(dataset)(Path(folder))
        evidence = [reader.read(video_id) for video_id in reader.videos()]
    return tuple(known_of((one, build_timeline(one))) for one in evidence)


def real_known(dataset: str, root: Path, videos: Sequence[str] = ()) -> tuple[PreviewFacts, ...]:
    """Return videos from a dataset's own files: the named videos, otherwise the first few.

    Raises:
        UserError: there is no such dataset, folder or video.
    """
    reader = load_reader(dataset)(root)
    evidence = (reader.read(name) for name in videos or islice(reader.videos(), FEW))
    return tuple(known_of((one, build_timeline(one))) for one in evidence)


def public_samples() -> Iterator[tuple[str, tuple[PreviewFacts, ...]]]:
    """Yield name and sample of every public dataset, by name; unfinished readers are skipped."""
    for name in datasets():
        if name in USER_DATA:
            continue
        try:
            found = sample_known(name)
        except NotImplementedError:
            continue
        yield name, found


@dataclass
class OfKnown:
    """The items that a template gives on some videos, and the reasons for the units without one.

    Attributes:
        items: each item with the key of its video.
        declined: the reason for every unit without an item.
        without: for each video that lacks kinds of facts, these kinds.
        unitless: True if a video has all kinds of facts and no unit (such as a clip).
    """

    items: list[tuple[str, Item]] = field(default_factory=list)
    declined: list[Rejected] = field(default_factory=list)
    without: dict[str, tuple[str, ...]] = field(default_factory=dict)
    unitless: bool = False


def asked_of(program: Program, known: Iterable[PreviewFacts]) -> OfKnown:
    """Ask all units of the videos that have every kind of facts that the program needs."""
    out = OfKnown()
    for one in known:
        lacks = tuple(" or ".join(kinds) for kinds in needed(program)
                      if not any(map(one.has, kinds)))  # fmt: skip
        if lacks:
            out.without[one.key] = lacks
            continue
        asked = Asker(one.relation, one.clips, SEED).ask(program)
        out.items += [(one.key, item) for item in asked.items]
        out.declined += asked.declined
        out.unitless |= not asked.units
    return out


def needed(program: Program) -> tuple[tuple[str, ...], ...]:
    """Return the kinds of facts that a video must have: at least one kind of each tuple."""
    parts = [step.node for step in program.let] + list(program.where)
    parts += [node for stage in program.stages for _, node in stage.answer]
    found = {node.kinds for part in parts for node in every(part) if isinstance(node, Pattern)}
    return tuple(sorted(kinds for kinds in found if kinds))


def first_asked(program: Program) -> tuple[str, OfKnown]:
    """Return the first public sample with items, and its result.

    If no sample has items, the result is '' and the combined result of all samples.
    """
    nothing = OfKnown()
    for name, known in public_samples():
        asked = asked_of(program, known)
        if asked.items:
            return name, asked
        nothing.declined += asked.declined
        nothing.without |= asked.without
        nothing.unitless |= asked.unitless
    return "", nothing
