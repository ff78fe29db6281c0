"""Read the files of a dataset, and check that the reader keeps its contract.

The contract is the list of conditions that every reader fulfils; for example, no segment ends after
its video.  Tests check the contract on synthetic samples.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from surgqa.ontology.concepts import vocabulary
from surgqa.ontology.errors import UserError
from surgqa.ontology.keys import digest
from surgqa.ontology.moments import moment_order
from surgqa.ontology.records import (
    Clock,
    Code,
    InstrumentTable,
    MediaKind,
    Video,
    VideoEvidence,
)
from surgqa.ontology.times import SECOND_US
from surgqa.transforms.places import below
from surgqa.transforms.registry import load_reader, load_sample
from surgqa.transforms.samples.scripted import summary

if TYPE_CHECKING:
    from surgqa.transforms.readers.base import Reader


TWICE = 3
"""Number of videos that are read twice, to test that reading gives the same result again."""
EXAMPLES = 3
"""Number of different reasons, with their places, that are given for each code."""
LEAST = 0.1
"""A kind is doubtful if in no video a label starts or ends after this share of the length. A wrong
unit divides times by 24 or more (seconds as frames), or moves them beyond the end of the video."""


@dataclass(frozen=True, slots=True)
class VideoCounts:
    """Counts of what was read from one video.

    Attributes:
        media: form of the video's file or images.
        sources: digest over the digests of the video's annotation files.
    """

    video_id: str
    instants: int
    instances: int
    boxes: int
    spans: int
    read: int
    kept: int
    rejected: int
    regions: int
    labels: int
    seconds: float
    media: MediaKind
    sources: str


@dataclass(slots=True)
class KindTimes:
    """The times of all labels of one kind.

    Attributes:
        videos: number of videos that have such labels.
        first_s, last_s: start of the first label and end of the last one, in seconds. A label of
            an instant ends at this instant.
        reach: the latest start or end of a label as a share of its video's length, the largest of
            all videos. The end of the video does not count: labels without an end last until then.
    """

    videos: int
    first_s: float
    last_s: float
    reach: float


@dataclass(slots=True)
class Verification:
    """The result of reading a whole dataset.

    Attributes:
        missing: files of the published release that are absent; a partial download is allowed.
        excluded: for each video that is present but known to be wrong, the reason.
        splits: for each official split and part, the number of videos read.
        labels: for each instrument or segment label, the number of instances or segments.
        codes: for each reason, the number of rejected or repaired rows.
        examples: for each reason, the first few sentences that describe such a row and its place.
        times: for each kind of label with known times, its first and last time.
        files: sentences about video files that end too early or cannot be read.
        problems: violations of the contract, as sentences.
    """

    dataset: str
    version: int
    missing: int
    excluded: dict[str, str] = field(default_factory=dict)
    videos: list[VideoCounts] = field(default_factory=list)
    splits: dict[str, dict[str, int]] = field(default_factory=dict)
    labels: Counter[str] = field(default_factory=Counter)
    codes: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[str]] = field(default_factory=dict)
    times: dict[str, KindTimes] = field(default_factory=dict)
    files: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data for JSON."""
        return {
            "dataset": self.dataset,
            "version": self.version,
            "missing_files": self.missing,
            "excluded": self.excluded,
            "splits": self.splits,
            "videos": [asdict(one) for one in self.videos],
            "labels": dict(sorted(self.labels.items())),
            "left_out": dict(sorted(self.codes.items())),
            "examples": dict(sorted(self.examples.items())),
            "times": {kind: asdict(times) for kind, times in self.times.items()},
            "warnings": self.warnings(),
            "problems": list(self.problems),
        }

    def warnings(self) -> list[str]:
        """Return a sentence for each sign that times or video files may be wrong."""
        fix = "are the unit and the frame rate of the times right?"
        out = [
            f"no {kind} starts or ends after the first {LEAST:.0%} of any video: {fix}"
            for kind, times in self.times.items()
            if times.reach < LEAST
        ]
        late = self.codes[f"{Code.BAD_TIME} (rejected)"]
        read = sum(one.read for one in self.videos)
        if late > LEAST * read:
            out.append(f"{late} of {read} labels have no time inside their video: {fix}")
        return out + self.files


def verify_dataset(
    reader: Reader, limit: int | None = None, notify: Callable[[str], None] = lambda video: None
) -> Verification:
    """Read every video (or the first ``limit``), and collect counts and violations.

    Raises:
        SourceMissing: the folder contains nothing of the dataset.
    """
    videos = reader.videos()
    bad = {entry.key.partition("/")[2]: entry.reason for entry in reader.excluded()}
    found = Verification(reader.name, reader.version, len(reader.missing()), bad)
    groups: dict[str, str] = {}
    failed: dict[str, list[str]] = {}
    for number, video_id in enumerate(videos[:limit]):
        notify(video_id)
        try:
            evidence = reader.read(video_id)
        except UserError as error:
            failed.setdefault(str(error), []).append(video_id)
            continue
        if number < TWICE and reader.read(video_id) != evidence:
            found.problems.append(f"{video_id}: a second reading gives other evidence")
        groups[video_id] = evidence.video.split_group
        found.problems += [f"{video_id}: {problem}" for problem in problems_of(evidence)]
        found.videos.append(_counts(evidence))
        found.files += _short_file(reader, evidence.video)
        found.labels.update(_labels(evidence))
        _add_left_out(found, evidence)
        _add_times(found.times, evidence)
    found.problems += [f"{', '.join(some)}: {error}" for error, some in failed.items()]
    found.splits = {
        name: dict(sorted(Counter(parts[v] for v in groups if v in parts).items()))
        for name, parts in reader.splits.items()
    }
    found.problems += shared_groups(reader.splits, groups)
    return found


def _short_file(reader: Reader, video: Video) -> Iterator[str]:
    """Yield a sentence if the video's file ends over a second too early or cannot be read."""
    if video.media.kind != MediaKind.VIDEO or video.clock != Clock.TIME:
        return
    # PyAV is imported only if a video file must be read.
    from surgqa.transforms.media.probe import probe

    path = video.media.path or ""
    try:
        length_us = probe(below(reader.root, path), path).duration_us
    except UserError as error:
        yield str(error)
        return
    if length_us + SECOND_US < video.duration_us:
        yield (f"{path} ends at {length_us / SECOND_US:.2f} s, but by the labels {video.video_id} "
               f"lasts {video.duration_us / SECOND_US:.2f} s")  # fmt: skip


def broken_promises(name: str, folder: Path) -> list[str]:
    """List the violations of a reader's contract on its own sample.

    Args:
        folder: an empty folder, into which the sample is written.
    """
    sample = load_sample(name)(folder)
    reader = load_reader(name)(folder)
    wrong = list(verify_dataset(reader).problems)
    found = reader.found()
    for video, holds in sample.items():
        said = summary(reader.read(video)) if video in found else {}
        differ = [name for name in sorted({*said, *holds}) if said.get(name) != holds.get(name)]
        wrong += [f"{video}: {name} is {said.get(name)}, but the sample holds {holds.get(name)}"
                  for name in differ]  # fmt: skip
    return wrong


def moment_problems(evidence: VideoEvidence) -> Iterable[str]:
    """Yield a sentence for each moment out of order, outside the video, or with unknown words."""
    if list(evidence.moments) != sorted(set(evidence.moments), key=moment_order):
        yield "moments are not sorted, or one occurs twice"
    for one in evidence.moments:
        if not 0 <= one.start_us <= one.end_us <= evidence.video.duration_us:
            yield f"{one.kind} {one.label} from {one.start_us} to {one.end_us} us"
        words = (("instruments", one.tool), ("verbs", one.verb), ("targets", one.target))
        for kind, word in words:
            if word and word not in vocabulary(kind):
                yield f"{one.kind} at {one.start_us} us: {word!r} is none of the {kind}"


def problems_of(evidence: VideoEvidence) -> Iterable[str]:
    """Yield one sentence for each way in which the evidence of a video violates the contract."""
    video = evidence.video
    if not video.sources:
        yield "names no source file"
    for books in evidence.books:
        if not books.balanced:
            yield (
                f"{books.stage}: read {books.read} {books.unit}, but kept {books.kept}, "
                f"rejected {books.rejected}, failed {books.failed}"
            )
    for span in evidence.spans:
        if not 0 <= span.start_us < span.end_us <= video.duration_us:
            yield f"{span.kind} {span.label} from {span.start_us} to {span.end_us} us"
    if list(evidence.spans) != sorted(
        set(evidence.spans),
        key=lambda s: (s.kind, s.start_us, s.end_us, s.label, s.subject, s.rater),
    ):  # fmt: skip
        yield "spans are not sorted, or one occurs twice"
    yield from moment_problems(evidence)
    unknown = sorted(set(video.vocabulary) - set(vocabulary("instruments")))
    if unknown:
        yield f"instruments that the ontology does not know: {', '.join(unknown)}"
    if evidence.instruments is not None:
        yield from _table_problems(evidence.instruments, video.duration_us, video.vocabulary)
    for table in evidence.regions.values():
        yield from _table_problems(table, video.duration_us, table.labels)


def shared_groups(splits: Any, groups: dict[str, str]) -> list[str]:
    """Return one sentence for each surgery or patient whose videos are in two parts of a split."""
    problems = []
    for name, parts in splits.items():
        sides: dict[str, set[str]] = {}
        for video_id, group in groups.items():
            if video_id in parts:
                sides.setdefault(group, set()).add(parts[video_id])
        problems += [
            f"split {name}: {group} is in {' and '.join(sorted(found))}"
            for group, found in sorted(sides.items())
            if len(found) > 1
        ]
    return problems


def _table_problems(
    table: InstrumentTable, duration_us: int, words: tuple[str, ...]
) -> Iterable[str]:
    instants = table.instants_us
    if instants.size and (instants[0] < 0 or instants[-1] >= duration_us):
        yield f"instants from {instants[0]} to {instants[-1]} us, video ends at {duration_us} us"
    if (np.diff(instants) <= 0).any():
        yield "instants are not in ascending order"
    boxes = table.box_xyxy[np.isfinite(table.box_xyxy).all(axis=1)]
    inside = (boxes >= 0).all(axis=1) & (boxes <= 1).all(axis=1)
    ordered = (boxes[:, 0] < boxes[:, 2]) & (boxes[:, 1] < boxes[:, 3])
    bad = int((~(inside & ordered)).sum())
    if bad:
        yield f"{bad} boxes are empty or leave the frame"
    beyond = sorted(set(table.labels) - set(words))
    if beyond:
        yield f"labels outside the video's vocabulary: {', '.join(beyond)}"


def _counts(evidence: VideoEvidence) -> VideoCounts:
    table = evidence.instruments
    books = evidence.books
    return VideoCounts(
        video_id=evidence.video.video_id,
        instants=0 if table is None else int(table.instants_us.size),
        instances=0 if table is None else int(table.label.size),
        boxes=0 if table is None else int(np.isfinite(table.box_xyxy).all(axis=1).sum()),
        spans=len(evidence.spans),
        read=sum(one.read for one in books),
        kept=sum(one.kept for one in books),
        rejected=sum(one.rejected for one in books),
        regions=sum(int(region.label.size) for region in evidence.regions.values()),
        labels=len(evidence.labels),
        seconds=_seconds(evidence.video.duration_us),
        media=evidence.video.media.kind,
        sources=digest(
            *(part for one in evidence.video.sources for part in (one.path, one.sha256))
        ),
    )


def _labels(evidence: VideoEvidence) -> Counter[str]:
    found: Counter[str] = Counter()
    table = evidence.instruments
    if table is not None:
        counts = np.bincount(table.label, minlength=len(table.labels))
        found.update(dict(zip(table.labels, counts.tolist(), strict=True)))
    found.update(f"{span.kind} {span.label}" for span in evidence.spans)
    found.update(f"{one.kind} {one.label}" for one in evidence.labels)
    for kind, region in evidence.regions.items():
        counts = np.bincount(region.label, minlength=len(region.labels))
        named = zip(region.labels, counts.tolist(), strict=True)
        found.update({f"{kind} {label}": count for label, count in named})
    return found


def _add_left_out(found: Verification, evidence: VideoEvidence) -> None:
    """Count the rows of a video that were rejected or repaired, and keep the first examples."""
    for entry in evidence.rejected:
        code = f"{entry.code} ({entry.outcome})"
        found.codes[code] += entry.count
        examples = found.examples.setdefault(code, [])
        if len(examples) < EXAMPLES and not any(one.endswith(entry.reason) for one in examples):
            examples.append(": ".join(filter(None, (entry.where, entry.reason))))


def _add_times(times: dict[str, KindTimes], evidence: VideoEvidence) -> None:
    """Add the first and last time of each kind of label in a video with known times."""
    video = evidence.video
    ends: dict[str, list[int]] = {}
    instruments = {} if evidence.instruments is None else {"instrument": evidence.instruments}
    for kind, table in (instruments | dict(evidence.regions)).items():
        ends.setdefault(kind, []).extend(table.instants_us[[0, -1][: table.instants_us.size]])
    for span in evidence.spans:
        ends.setdefault(span.kind, []).extend((span.start_us, span.end_us))
    for kind, some in ends.items() if video.clock == Clock.TIME else ():
        if some:
            first, last = _seconds(min(some)), _seconds(max(some))
            inside = [int(time) for time in some if 0 < time < video.duration_us]
            reach = round(max(inside, default=video.duration_us) / video.duration_us, 4)
            old = times.setdefault(kind, KindTimes(0, first, last, reach))
            times[kind] = KindTimes(
                old.videos + 1, min(old.first_s, first), max(old.last_s, last),
                max(old.reach, reach),
            )  # fmt: skip


def _seconds(time_us: int) -> float:
    return round(int(time_us) / SECOND_US, 3)
